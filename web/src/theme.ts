/** Which theme the page wears: the system's, unless the reader chose one. */

export type ThemeChoice = "system" | "light" | "dark";

const kStorageKey = "mesita-theme";

export function storedTheme(): ThemeChoice {
  try {
    const stored = localStorage.getItem(kStorageKey);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system"; // storage may be forbidden
  }
}

/** style.css reads the attribute; without it `color-scheme` follows the system by itself. */
export function applyTheme(choice: ThemeChoice): void {
  if (choice === "system") {
    delete document.documentElement.dataset["theme"];
  } else {
    document.documentElement.dataset["theme"] = choice;
  }
  try {
    localStorage.setItem(kStorageKey, choice);
  } catch {
    // The choice then holds until the page is left.
  }
}
