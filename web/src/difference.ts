import type { ShownToken } from "./tokens";

/**
 * Where two models' tokens begin and end together, and how much more bits the first needed there.
 *
 * Models with different tokenizers cut a text in different places. Surprise adds up over tokens,
 * so the difference is exact over the smallest stretches that both cut out; with one tokenizer
 * these are the tokens. `bits` is null where either model scored no token of the stretch.
 */
export function differences(text: string, first: ShownToken[], second: ShownToken[]): ShownToken[] {
  const bytes = new TextEncoder().encode(text);
  const stretches: ShownToken[] = [];
  let [i, j, start] = [0, 0, 0];
  while (i < first.length && j < second.length) {
    const [own, other] = [new Sum(), new Sum()];
    let [end, otherEnd] = [first[i]!.end, second[j]!.end];
    own.add(first[i++]!);
    other.add(second[j++]!);
    while (end !== otherEnd) {
      if (end < otherEnd) {
        if (i === first.length) break;
        end = first[i]!.end;
        own.add(first[i++]!);
      } else {
        if (j === second.length) break;
        otherEnd = second[j]!.end;
        other.add(second[j++]!);
      }
    }
    end = Math.max(end, otherEnd);
    const known = own.bits !== null && other.bits !== null;
    stretches.push({
      text: stretchText(bytes.subarray(start, end), first[i - 1]!),
      partial: end - start === first[i - 1]!.end - first[i - 1]!.start && first[i - 1]!.partial,
      start,
      end,
      id: null,
      bits: known ? own.bits! - other.bits! : null,
      alternatives: null,
    });
    start = end;
  }
  return stretches;
}

class Sum {
  bits: number | null = 0;

  add(token: ShownToken): void {
    this.bits = this.bits === null || token.bits === null ? null : this.bits + token.bits;
  }
}

function stretchText(bytes: Uint8Array, last: ShownToken): string {
  return last.partial && bytes.length === last.end - last.start
    ? last.text
    : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
