#include "training/train_command.h"

#include <stdexcept>

namespace mesita::training {

TrainCommand parse_train_command(const std::vector<std::string>& arguments) {
  TrainCommand command;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (!word.starts_with("--")) {
      if (word == "-h") {
        command.action = TrainCommand::Action::help;
      } else if (word.empty() || word.starts_with('-')) {
        throw std::invalid_argument("'" + word + "' is neither a config file nor an option --name");
      } else if (!command.config.empty()) {
        throw std::invalid_argument("two config files: " + command.config.string() + " and " +
                                    word + "; a run has one");
      } else {
        command.config = word;
      }
      continue;
    }
    const size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == word.npos ? equals : equals - 2);
    if (name == "resume") {
      const std::string how = equals == word.npos ? "" : word.substr(equals + 1);
      if (equals != word.npos && how != "anyway")
        throw std::invalid_argument("--resume takes no value but --resume=anyway");
      command.begin = how.empty() ? Begin::resume : Begin::resume_anyway;
      continue;
    }
    if (name == "help" || name == "version" || name == "json") {
      if (equals != word.npos) throw std::invalid_argument("--" + name + " takes no value");
      if (name == "help") command.action = TrainCommand::Action::help;
      if (name == "version") command.action = TrainCommand::Action::version;
      if (name == "json") command.output = TrainCommand::Output::json;
      continue;
    }
    std::string value;
    if (equals != word.npos) {
      value = word.substr(equals + 1);
    } else if (i + 1 < arguments.size() && !arguments[i + 1].starts_with("--")) {
      value = arguments[++i];
    } else {
      throw std::invalid_argument("--" + name + " needs a value (--" + name +
                                  "=--... if it begins so)");
    }
    if (name != "out") {
      command.overrides.push_back({name, value});
    } else if (value.empty() || !command.out.empty()) {
      throw std::invalid_argument("--out needs one folder, once");
    } else {
      command.out = value;
    }
  }
  if (command.begin != Begin::fresh && command.action == TrainCommand::Action::train) {
    if (command.out.empty())
      throw std::invalid_argument("--resume needs --out RUN, the run to go on with");
    if (!command.config.empty() || !command.overrides.empty())
      throw std::invalid_argument(
          "--resume takes everything from RUN/config.json: give neither a config nor fields");
  }
  return command;
}

std::string train_help() {
  return "usage: mesita train [CONFIG] [--field value ...] [--out RUN] [--json]\n\n"
         "Trains a language model. CONFIG is a JSON file of fields; without it the toy grammar is\n"
         "learned with the defaults below. RUN must be new or empty (default: a free folder under\n"
         "runs/) and receives config.json, metrics.jsonl, checkpoints/last and checkpoints/best.\n"
         "Ctrl-C saves and ends the run; a second one ends it at once.\n\n"
         "  --resume   go on with the run in RUN, with the same bits as if it had never stopped; "
         "it\n"
         "             takes everything from RUN/config.json. Refused when config, data, machine\n"
         "             or threads are others; --resume=anyway then goes on with a warning\n"
         "  --json     one JSON document with the result on standard output\n"
         "  --version  version of the program and of LibTorch\n\n"
         "Fields (in brackets: default; what is allowed). In CONFIG, dots are nesting. On the\n"
         "command line the last part is enough where only one field ends so (--width, "
         "--steps).\n\n" +
         describe_fields();
}

}  // namespace mesita::training
