import { useState } from "preact/hooks";
import { Segmented } from "./segmented";
import { applyTheme, storedTheme, type ThemeChoice } from "./theme";

const kChoices = [
  { value: "system", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;

export function ThemeToggle() {
  const [choice, setChoice] = useState<ThemeChoice>(storedTheme);
  const choose = (next: ThemeChoice) => {
    applyTheme(next);
    setChoice(next);
  };
  return (
    <Segmented name="theme" legend="Theme" choices={kChoices} value={choice} onChange={choose} />
  );
}
