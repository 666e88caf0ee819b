import type { Logprobs, ScoredToken } from "./api_types";
import { bits } from "./numbers";

/** A token as the page shows it. */
export interface ShownToken {
  /** Its whole characters; for a part of a character `⟨F0⟩`, its bytes in hexadecimal. */
  text: string;
  /** True when `text` stands for bytes that are no whole characters. */
  partial: boolean;
  /** Where it stands: bytes of a scored text, code points of a generated one. */
  start: number;
  end: number;
  id: number | null;
  /** Surprise, -log2 p; null where the model gave none. */
  bits: number | null;
  /** What the model thought likely here, likeliest first; null when not asked. */
  alternatives: Alternative[] | null;
}

export interface Alternative {
  text: string;
  bits: number;
}

/** The tokens of a scored text, cut from its bytes, which is exact also inside a character. */
export function scoredTokens(text: string, tokens: ScoredToken[]): ShownToken[] {
  const bytes = new TextEncoder().encode(text);
  return tokens.map((token) => {
    const slice = bytes.subarray(token.start, token.end);
    const whole = wholeText(slice);
    return {
      text: whole ?? hexadecimal(slice),
      partial: whole === null,
      start: token.start,
      end: token.end,
      id: token.id,
      bits: token.nats === null ? null : bits(token.nats),
      alternatives: null,
    };
  });
}

/** Tokens of a completion's logprob arrays as they arrive: not yet cut from the text. */
export function arrivedTokens(logprobs: Logprobs): ShownToken[] {
  return logprobs.tokens.map((text, index) => {
    const value = logprobs.token_logprobs[index];
    const offset = logprobs.text_offset[index] ?? 0;
    return {
      text,
      partial: false,
      start: offset,
      end: offset,
      id: null,
      bits: typeof value === "number" ? bits(-value) : null,
      alternatives: alternatives(logprobs.top_logprobs?.[index] ?? null),
    };
  });
}

/**
 * Cuts a generated text at its tokens' offsets, so that the pieces join to exactly the text.
 *
 * The tokens' own texts would not: of a character that takes several tokens each has but bytes
 * (the character goes to the token whose stretch it falls in, the others are shown as partial),
 * and tokens behind a stop string, or whose text the server still holds back, have no text yet.
 */
export function cutText(text: string, arrived: ShownToken[]): ShownToken[] {
  const characters = Array.from(text);
  const origin = arrived[0]?.start ?? 0;
  const cut: ShownToken[] = [];
  arrived.forEach((token, index) => {
    const isLast = index + 1 === arrived.length;
    const start = token.start - origin;
    const end = isLast ? characters.length : arrived[index + 1]!.start - origin;
    const piece = characters.slice(start, end).join("");
    if (piece !== "") {
      cut.push({ ...token, text: piece, start, end });
    } else if (isLast && token.text === "") {
      cut.push({ ...token, text: "⟨end⟩", partial: true, start, end });
    } else if (start < characters.length) {
      cut.push({ ...token, text: readBytes(token.text), partial: true, start, end });
    }
  });
  return cut;
}

export function alternatives(top: Record<string, number> | null): Alternative[] | null {
  if (top === null) return null;
  return Object.entries(top)
    .map(([text, logprob]) => ({ text, bits: bits(-logprob) }))
    .sort((a, b) => a.bits - b.bits);
}

/** The index of the token that holds the byte `place`, or -1. */
export function tokenAt(tokens: ShownToken[], place: number): number {
  return tokens.findIndex((token) => token.start <= place && place < token.end);
}

/** A token in words for the details: white space gets its names, nothing is invisible. */
export function spell(text: string): string {
  if (text === "") return "⟨end⟩";
  const bytes = readBytes(text);
  if (bytes !== text) return bytes;
  return text
    .replaceAll(" ", "␣")
    .replaceAll("\n", "↵")
    .replaceAll("\t", "⇥")
    .replaceAll("\r", "␍");
}

/** The API spells a token that is no whole characters `bytes:\xf0\x9f`; the page ⟨F0 9F⟩. */
function readBytes(text: string): string {
  if (!/^bytes:(\\x[0-9a-f]{2})+$/.test(text)) return text;
  return `⟨${text.slice("bytes:\\x".length).toUpperCase().replaceAll("\\X", " ")}⟩`;
}

function wholeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function hexadecimal(bytes: Uint8Array): string {
  const digits = [...bytes].map((byte) => byte.toString(16).toUpperCase().padStart(2, "0"));
  return `⟨${digits.join(" ")}⟩`;
}
