import { createContext } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';

/** Draws a named icon into an element; the app's `setIcon` in the plugin. */
export type DrawIcon = (element: HTMLElement, name: string) => void;

export const IconDrawer = createContext<DrawIcon>(() => undefined);

/** An icon; decoration only, so the words stand beside it or in the name of its button. */
export function Icon({ name }: { readonly name: string }) {
  const element = useRef<HTMLSpanElement>(null);
  const draw = useContext(IconDrawer);
  useLayoutEffect(() => {
    if (element.current !== null) draw(element.current, name);
  }, [draw, name]);
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
