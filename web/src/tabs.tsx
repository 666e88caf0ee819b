import type { ComponentChildren } from "preact";

interface Tab<Value extends string> {
  value: Value;
  title: string;
  body: ComponentChildren;
}

interface Props<Value extends string> {
  label: string;
  value: Value;
  tabs: Tab<Value>[];
  onChange: (value: Value) => void;
}

/** Tabs after the ARIA pattern; panels stay alive, so that a stream goes on while hidden. */
export function Tabs<Value extends string>({ label, value, tabs, onChange }: Props<Value>) {
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const index = tabs.findIndex((tab) => tab.value === value);
    const next = tabs[(index + step + tabs.length) % tabs.length]!.value;
    onChange(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab.value}
            id={`tab-${tab.value}`}
            type="button"
            role="tab"
            aria-selected={tab.value === value}
            aria-controls={`panel-${tab.value}`}
            tabIndex={tab.value === value ? 0 : -1}
            onClick={() => onChange(tab.value)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      {tabs.map((tab) => (
        <div
          key={tab.value}
          id={`panel-${tab.value}`}
          class="panel"
          role="tabpanel"
          aria-labelledby={`tab-${tab.value}`}
          hidden={tab.value !== value}
        >
          {tab.body}
        </div>
      ))}
    </>
  );
}
