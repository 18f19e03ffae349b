import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** A part of a form under its name. */
export function Field(props: {
  readonly name: string;
  readonly words?: string | undefined;
  readonly problem?: string | undefined;
  readonly children: ComponentChildren;
}) {
  return (
    <label class="atb-form-field">
      <span>{props.name}</span>
      {props.children}
      {props.words !== undefined && <span class="atb-form-words">{props.words}</span>}
      <span class="atb-form-problem" role="status">
        {props.problem ?? ''}
      </span>
    </label>
  );
}

export type Options = readonly (readonly [value: string, words: string])[];

/** A choice among few; `name` where no words stand beside it. */
export function Select(props: {
  readonly value: string;
  readonly options: Options;
  readonly onChange: (value: string) => void;
  readonly name?: string;
  readonly disabled?: boolean;
}) {
  return (
    <select
      class="dropdown"
      aria-label={props.name}
      value={props.value}
      disabled={props.disabled ?? false}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    >
      {props.options.map(([value, words]) => (
        <option value={value} key={value} selected={value === props.value}>
          {words}
        </option>
      ))}
    </select>
  );
}

/** Any text; the known ones are offered. */
export function Suggested(props: {
  readonly value: string;
  readonly known: readonly string[];
  readonly placeholder: string;
  readonly onInput: (value: string) => void;
  /** the keyboard came to it */
  readonly onEnter?: () => void;
  readonly name?: string;
}) {
  const [list] = useState(() => `atb-${crypto.randomUUID()}`);
  return (
    <>
      <input
        type="text"
        list={list}
        value={props.value}
        placeholder={props.placeholder}
        aria-label={props.name}
        maxLength={256}
        spellcheck={false}
        onFocus={props.onEnter}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <datalist id={list}>
        {props.known.map((one) => (
          <option value={one} key={one} />
        ))}
      </datalist>
    </>
  );
}
