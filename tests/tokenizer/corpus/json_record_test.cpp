#include "tokenizer/corpus/json_record.h"

#include <gtest/gtest.h>

#include "tests/support/message.h"

namespace mesita::corpus {
namespace {

using Result = JsonRecordParser::Result;

Document document_of(std::string record) {
  JsonRecordParser parser(1 << 20);
  Document document;
  EXPECT_EQ(parser.parse(record, document), Result::document) << record << parser.reason();
  return document;
}

TEST(JsonRecord, ReadsThePilesRecords) {
  for (const char* record :
       {R"({"text": "one", "meta": {"pile_set_name": "Pile-CC"}})",
        R"({"meta":{"a":[{"text":1}],"pile_set_name":"Pile-CC"},"text":"one","id":7})",
        R"({"meta": "{\"pile_set_name\": \"Pile-CC\"}", "text": "one"})"}) {
    EXPECT_EQ(document_of(record).text, "one");
    EXPECT_EQ(document_of(record).set, "Pile-CC");
  }
  for (const char* record :
       {R"({"text":"one"})", R"({"text":"one","meta":null})", R"({"text":"one","meta":{}})",
        R"({"text":"one","meta":"no object"})", R"({"text":"one","meta":{"pile_set_name":3}})",
        R"({"story":"one"})", R"({"story":"two","text":"one","source":"GPT-4"})"}) {
    EXPECT_EQ(document_of(record).text, "one") << record;
    EXPECT_EQ(document_of(record).set, "") << record;
  }
}

TEST(JsonRecord, KeepsTextsExactly) {
  EXPECT_EQ(document_of(R"({"text":"a\u0000b"})").text, std::string("a\0b", 3));
  EXPECT_EQ(document_of(R"({"text":"\n \ud83d\ude00\u00e9 \"\\\/\t "})").text,
            "\n \xF0\x9F\x98\x80\xC3\xA9 \"\\/\t ");
  EXPECT_EQ(document_of(R"({"te\u0078t":"<|endoftext|>"})").text, "<|endoftext|>");
}

TEST(JsonRecord, SeesEmptyTexts) {
  JsonRecordParser parser(100);
  Document document;
  for (std::string record : {R"({"text":""})", R"({"text":" \n\t\r ","meta":{}})"}) {
    EXPECT_EQ(parser.parse(record, document), Result::empty);
  }
}

TEST(JsonRecord, SaysWhatIsWrong) {
  const struct {
    std::string record;
    Result result;
    const char* reason;
  } cases[] = {
      {"{", Result::no_json, "not JSON"},
      {"{\"text\":\"a", Result::no_json, "not JSON"},
      {"{\"text\":\"a\"} x", Result::no_json, "not JSON"},
      {"{\"text\":\"a\" \"b\":1}", Result::no_json, "not JSON"},
      {"{\"text\":\"a\",\"meta\":{bad}}", Result::no_json, "not JSON"},
      {"{\"text\":\"a\nb\"}", Result::no_json, "not JSON"},
      {"{'text':'a'}", Result::no_json, "not JSON"},
      {"[\"text\"]", Result::malformed, "expected an object, found an array"},
      {"7", Result::malformed, "found a number"},
      {"null", Result::malformed, "found null"},
      {"{}", Result::malformed, "no \"text\""},
      {"{\"Text\":\"a\"}", Result::malformed, "no \"text\""},
      {"{\"text\":7}", Result::malformed, "\"text\" is a number, expected a string"},
      {"{\"text\":null}", Result::malformed, "\"text\" is null"},
      {"{\"text\":[\"a\"]}", Result::malformed, "\"text\" is an array"},
      {"{\"text\":{}}", Result::malformed, "\"text\" is an object"},
      {"{\"story\":true}", Result::malformed, "\"story\" is true or false"},
      {"{\"text\":\"a\",\"text\":\"a\"}", Result::malformed, "\"text\" more than once"},
      {"{\"text\":\"\xC3(\"}", Result::no_json, "not valid UTF-8 at byte 10"},
      {"{\"text\":\"\xED\xA0\x80\"}", Result::no_json, "not valid UTF-8"},
      {"{\"text\":\"\\ud83d\"}", Result::no_json, "surrogate"},
      {"{\"text\":\"\\ud83d\\u0041\"}", Result::no_json, "surrogate"},
      {"{\"text\":\"" + std::string(101, 'a') + "\"}", Result::malformed, "more than 100 bytes"},
      {"{\"text\":\"a\",\"meta\":" + std::string(300, '[') + std::string(300, ']') + "}",
       Result::no_json, "nested deeper"},
  };
  JsonRecordParser parser(100);
  for (const auto& example : cases) {
    std::string record = example.record;
    Document document;
    EXPECT_EQ(parser.parse(record, document), example.result) << record << parser.reason();
    EXPECT_TRUE(testing::contains(parser.reason(), example.reason)) << record << parser.reason();
  }
  // simdjson 3.0 reads it, and its check is ours; later ones refuse it themselves.
  std::string low = "{\"text\":\"\\ude00\"}";
  Document document;
  EXPECT_TRUE(parser.parse(low, document) == Result::malformed ||
              parser.parse(low, document) == Result::no_json);
  EXPECT_TRUE(testing::contains(parser.reason(), "surrogate")) << parser.reason();
  std::string good = R"({"text":"good"})";
  EXPECT_EQ(parser.parse(good, document), Result::document) << "damage leaves nothing behind";
}

TEST(JsonRecord, ReadsLargeRecords) {
  JsonRecordParser parser(size_t{1} << 30);
  const std::string text(30'000'000, 'a');
  std::string record = "{\"text\":\"" + text + "\"}";
  Document document;
  EXPECT_EQ(parser.parse(record, document), Result::document);
  EXPECT_TRUE(document.text == text);
}

}  // namespace
}  // namespace mesita::corpus
