/**
 * Reads a text/event-stream body and yields the data of each event.
 *
 * Follows the HTML standard's rules for lines (LF, CR, CRLF), comments, fields and a byte order
 * mark; event names, ids and retry times are skipped because the API uses none of them. An event
 * that the body ends in the middle of is not yielded.
 */
export async function* eventData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parser = new EventParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    // Reached also when the consumer leaves early: the connection must not stay open then.
    await reader.cancel().catch(() => undefined);
  }
}

/** The same as a push parser, for text that arrives in arbitrary pieces. */
export class EventParser {
  private pending = "";
  private data: string[] = [];

  push(text: string): string[] {
    this.pending += text;
    const events: string[] = [];
    for (;;) {
      const end = this.pending.search(/[\r\n]/);
      if (end < 0) return events;
      // A CR at the very end may be the first half of a CRLF that is still on its way.
      const isCarriageReturn = this.pending[end] === "\r";
      if (isCarriageReturn && end + 1 === this.pending.length) return events;
      const width = isCarriageReturn && this.pending[end + 1] === "\n" ? 2 : 1;
      const line = this.pending.slice(0, end);
      this.pending = this.pending.slice(end + width);
      if (line === "") {
        if (this.data.length > 0) events.push(this.data.join("\n"));
        this.data = [];
      } else if (line === "data") {
        this.data.push("");
      } else if (line.startsWith("data:")) {
        this.data.push(line.slice(line[5] === " " ? 6 : 5));
      }
    }
  }
}
