import assert from "node:assert/strict";
import { test } from "node:test";
import { eventData, EventParser } from "../../web/src/event_stream";

function parse(...pieces: string[]): string[] {
  const parser = new EventParser();
  return pieces.flatMap((piece) => parser.push(piece));
}

test("events end at an empty line, whatever ends the lines", () => {
  assert.deepEqual(parse("data: a\n\ndata: b\n\n"), ["a", "b"]);
  assert.deepEqual(parse("data: a\r\n\r\ndata: b\r\n\r\n"), ["a", "b"]);
  assert.deepEqual(parse("data: a\r\rdata: b\r\rdata: c\r\r\n"), ["a", "b", "c"]);
});

test("any cut of the stream gives the same events", () => {
  const stream =
    ': ping\r\n\r\ndata: {"a": "\\n"}\r\n\r\nevent: x\r\ndata:b\r\ndata: c\r\n\r\ndata\n\n';
  const whole = ['{"a": "\\n"}', "b\nc", ""];
  assert.deepEqual(parse(stream), whole);
  for (let cut = 0; cut <= stream.length; ++cut) {
    assert.deepEqual(parse(stream.slice(0, cut), stream.slice(cut)), whole, `cut at ${cut}`);
  }
  assert.deepEqual(parse(...stream), whole);
});

test("comments, other fields and an unfinished event give nothing", () => {
  assert.deepEqual(parse(": comment\n\nid: 1\nretry: 5\n\ndata: unfinished\n"), []);
});

test("one leading blank of the data is dropped, no more", () => {
  assert.deepEqual(parse("data:  two \n\n"), [" two "]);
});

test("characters that are cut in the middle arrive whole, and a byte order mark is dropped", async () => {
  const bytes = new TextEncoder().encode("\ufeffdata: 🐚é\n\n");
  for (let cut = 0; cut <= bytes.length; ++cut) {
    const body = streamOf(bytes.slice(0, cut), bytes.slice(cut));
    const found: string[] = [];
    for await (const data of eventData(body)) found.push(data);
    assert.deepEqual(found, ["🐚é"], `cut at ${cut}`);
  }
});

test("leaving the loop cancels the body", async () => {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode("data: a\n\ndata: b\n\n")),
    cancel: () => {
      cancelled = true;
    },
  });
  for await (const data of eventData(body)) {
    assert.equal(data, "a");
    break;
  }
  assert.ok(cancelled);
});

function streamOf(...pieces: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      pieces.forEach((piece) => controller.enqueue(piece));
      controller.close();
    },
  });
}
