#pragma once

#include <string>

#include "tokenizer/corpus/byte_source.h"

namespace mesita::corpus {

/// Refuses what holds no documents as text or JSON, known by its first unpacked bytes or by
/// `ending`, the ending of its name without .gz or .zst. Throws std::invalid_argument that says
/// what the file is and what to do; std::runtime_error for a pointer of git-lfs or git-annex.
void refuse_foreign_formats(ByteSource& source, const std::string& ending);

}  // namespace mesita::corpus
