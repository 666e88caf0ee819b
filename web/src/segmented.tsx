interface Props<Value extends string> {
  name: string;
  legend: string;
  choices: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
}

/** A few exclusive choices in a row: radio buttons, so that arrow keys work as everywhere. */
export function Segmented<Value extends string>(props: Props<Value>) {
  return (
    <fieldset class="segmented">
      <legend class="visually-hidden">{props.legend}</legend>
      {props.choices.map(({ value, label }) => (
        <label key={value}>
          <input
            type="radio"
            name={props.name}
            value={value}
            checked={props.value === value}
            onChange={() => props.onChange(value)}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
