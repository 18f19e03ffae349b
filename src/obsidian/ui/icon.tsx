import { setIcon } from 'obsidian';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { MarkState } from '../../core/board/task-display';
import { plainLine } from './text';

/** A decorative icon; its meaning must be in the text beside it or in its button's name. */
export function Icon({ name }: { readonly name: string }) {
  const element = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (element.current !== null) setIcon(element.current, name);
  }, [name]);
  return <span class="atb-icon" aria-hidden="true" ref={element} />;
}

/** A button with only an icon; `label` is its accessible name and its tooltip. */
export function IconButton(props: {
  readonly icon: string;
  readonly label: string;
  readonly onClick: (event: MouseEvent) => void;
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  /** omitted on phones */
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
  /** the app's own style, for a button that stands alone */
  cta: 'mod-cta',
} as const;

/** A button with text; data attributes are passed to its element. */
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

/** The checkbox whose shape shows a task's status. In a tree, Tab skips it. */
export function StatusCheckbox(props: {
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

/** A title in a row or on a card; its tooltip shows all of it. */
export function Title({ words }: { readonly words: string }) {
  const line = plainLine(words);
  return (
    <span class="atb-title" title={line}>
      {line}
    </span>
  );
}

/** A decorative spinner; the state is in the text beside it. */
export function Spinner() {
  return <span class="atb-spinner" aria-hidden="true" />;
}

/**
 * The accessible name of a part of a view. It is in a hidden element, since the app shows a tooltip
 * for an `aria-label` wherever the pointer is in that part.
 * @returns the attribute that refers to the name, and the element that holds it
 */
export function useAccessibleName(
  name: string,
): readonly [{ 'aria-labelledby': string }, JSX.Element] {
  const [id] = useState(() => `atb-${crypto.randomUUID()}`);
  return [
    { 'aria-labelledby': id },
    <span hidden id={id}>
      {plainLine(name)}
    </span>,
  ];
}
