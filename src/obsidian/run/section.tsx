import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** A part of the panel under its name, that folds. */
export function Section(props: {
  readonly name: string;
  /** at the end of its head: a count, a day */
  readonly aside?: string | undefined;
  /** folded until the person opens it */
  readonly folded?: boolean;
  readonly children: ComponentChildren;
}) {
  const [open, setOpen] = useState(props.folded !== true);
  const [id] = useState(() => `atb-${crypto.randomUUID()}`);
  return (
    <section class="atb-run-section" aria-labelledby={id}>
      <button
        type="button"
        class="atb-run-fold"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <span class="atb-twisty" aria-hidden="true" />
        <span class="atb-run-fold-name" id={id}>
          {props.name}
        </span>
        {props.aside !== undefined && <span class="atb-count">{props.aside}</span>}
      </button>
      {open && props.children}
    </section>
  );
}

/** What was left out of a long list, and the way to it. */
export function ShowMore(props: { readonly words: string; readonly onClick: () => void }) {
  return (
    <button type="button" class="atb-button-quiet atb-run-more" onClick={props.onClick}>
      {props.words}
    </button>
  );
}
