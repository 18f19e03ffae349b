import { setIcon } from 'obsidian';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { MarkState } from '../../core/board/task-words';
import { plainLine } from './text';

/** An icon; decoration only, so the words stand beside it or in the name of its button. */
export function Icon({ name }: { readonly name: string }) {
  const element = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (element.current !== null) setIcon(element.current, name);
  }, [name]);
  return <span class="atb-icon" aria-hidden="true" ref={element} />;
}

/** A button that is only an icon; `label` is its name and its tooltip. */
export function IconButton(props: {
  readonly icon: string;
  readonly label: string;
  readonly onClick: (event: MouseEvent) => void;
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  /** left out where a phone has no room */
  readonly wideOnly?: boolean;
}) {
  return (
    <button
      type="button"
      class={`clickable-icon atb-icon-button${props.wideOnly === true ? ' atb-wide-only' : ''}`}
      aria-label={props.label}
      aria-pressed={props.pressed}
      disabled={props.disabled ?? false}
      onClick={props.onClick}
    >
      <Icon name={props.icon} />
    </button>
  );
}

const BUTTON_CLASSES = {
  plain: 'atb-button',
  quiet: 'atb-button-quiet',
  deny: 'atb-button-deny',
  warning: 'mod-warning atb-button',
  primary: 'mod-cta atb-button',
  /** as the app draws it, where it stands alone */
  cta: 'mod-cta',
} as const;

/** A button with words; data attributes are its element's. */
export function Button(props: {
  readonly kind?: keyof typeof BUTTON_CLASSES;
  readonly class?: string;
  readonly icon?: string;
  readonly words: string;
  readonly disabled?: boolean | undefined;
  readonly onClick: () => void;
}) {
  const { kind = 'plain', class: more, icon, words, ...rest } = props;
  const classes = more === undefined ? BUTTON_CLASSES[kind] : `${BUTTON_CLASSES[kind]} ${more}`;
  return (
    <button type="button" class={classes} {...rest}>
      {icon !== undefined && <Icon name={icon} />}
      {words}
    </button>
  );
}

/** The box whose shape says a task's status. In a tree it is not a stop of the Tab key. */
export function Mark(props: {
  readonly state: MarkState;
  readonly checked: 'true' | 'false' | 'mixed';
  readonly label: string;
  readonly disabled: boolean;
  readonly onTick: () => void;
}) {
  return (
    <span
      class="atb-mark"
      role="checkbox"
      data-state={props.state}
      aria-checked={props.checked}
      aria-label={plainLine(props.label)}
      aria-disabled={props.disabled}
      onClick={(event) => {
        event.stopPropagation();
        if (!props.disabled) props.onTick();
      }}
      onDblClick={(event) => event.stopPropagation()}
    />
  );
}

/** A title in a row or on a card, whole where the pointer rests on it. */
export function Title({ words }: { readonly words: string }) {
  const line = plainLine(words);
  return (
    <span class="atb-title" title={line}>
      {line}
    </span>
  );
}

/** Something is at work; the word stands beside it. */
export function Spinner() {
  return <span class="atb-spinner" aria-hidden="true" />;
}

/**
 * The accessible name of a part of a view. It stands in a hidden element of its own, since over an
 * `aria-label` the app shows a tooltip wherever in the part the pointer is.
 * @returns the attribute that names, and the element that holds the name
 */
export function useName(name: string): readonly [{ 'aria-labelledby': string }, JSX.Element] {
  const [id] = useState(() => `atb-${crypto.randomUUID()}`);
  return [
    { 'aria-labelledby': id },
    <span hidden id={id}>
      {plainLine(name)}
    </span>,
  ];
}
