#include "training/data/token_documents.h"

namespace mesita::training {

int64_t TokenDocuments::tokens() const {
  int64_t sum = 0;
  for (const DocumentSet& set : sets()) sum += set.tokens;
  return sum;
}

}  // namespace mesita::training
