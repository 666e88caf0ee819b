import { useEffect, useRef, useState } from "preact/hooks";

interface Props {
  onKey: (key: string) => void;
}

/** Asks for the server's API key; shown after it answered 401. */
export function KeyField({ onKey }: Props) {
  const [typed, setTyped] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: Event) => {
    event.preventDefault();
    onKey(typed.trim());
  };
  return (
    <form class="notice" onSubmit={submit}>
      <label for="api-key">This server asks for an API key.</label>
      <input
        ref={field}
        id="api-key"
        type="password"
        autocomplete="off"
        required
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <button type="submit">Use this key</button>
      <span class="hint">It stays in this tab's memory and is forgotten on reload.</span>
    </form>
  );
}
