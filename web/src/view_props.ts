import type { Api } from "./api";
import type { Settings } from "./settings";

/** What both views get from the page. */
export interface ViewProps {
  api: Api;
  settings: Settings;
  /** Why nothing can be asked now (no model chosen), or null. */
  obstacle: string | null;
  onChange: (change: Partial<Settings>) => void;
  onUnauthorized: (retry: () => void) => void;
  /** The shell command for a request, without the key. */
  curl: (path: string, body: object) => string;
  /** The address that restores this view, or null when it would be too long. */
  link: () => string | null;
}
