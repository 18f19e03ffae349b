import type { ComponentChildren } from 'preact';
import { Icon } from '../part/icon';
import { Spinner } from '../part/spinner';

export interface DisclosureProps {
  /** `spinner`, or the name of an icon */
  readonly icon: string;
  readonly name: string;
  /** what it is about, quieter */
  readonly object?: string | undefined;
  /** at the end of the line: the state in words */
  readonly state?: ComponentChildren;
  /** null: there is nothing to unfold */
  readonly open: boolean | null;
  readonly onToggle: () => void;
  readonly children?: ComponentChildren;
}

/** One line that unfolds to what is behind it. */
export function Disclosure(props: DisclosureProps) {
  const { open } = props;
  return (
    <div class="atb-disclosure">
      <button
        type="button"
        class="atb-disclosure-head"
        tabIndex={-1}
        aria-expanded={open ?? undefined}
        disabled={open === null}
        onClick={props.onToggle}
      >
        <span class="atb-twisty" aria-hidden="true" />
        {props.icon === 'spinner' ? <Spinner /> : <Icon name={props.icon} />}
        <span class="atb-disclosure-name">{props.name}</span>
        {props.object !== undefined && props.object !== '' && (
          <span class="atb-disclosure-object" title={props.object}>
            {props.object}
          </span>
        )}
        <span class="atb-disclosure-state">{props.state}</span>
      </button>
      {open === true && <div class="atb-disclosure-body">{props.children}</div>}
    </div>
  );
}
