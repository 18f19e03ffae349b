import type { ComponentChildren } from 'preact';
import { Button, Icon, Spinner, useAccessibleName } from './icon';
import { useLayoutEffect, useState } from 'preact/hooks';
import { t } from '../language/text';

export interface BannerButton {
  readonly label: string;
  readonly onClick: () => void;
  /** drawn without a frame, for a secondary choice */
  readonly quiet?: boolean;
  readonly disabled?: boolean;
}

export interface BannerProps {
  /** `spinner`, or the name of an icon */
  readonly icon: string;
  /** accessible name; also the title if there is no other */
  readonly label: string;
  readonly title?: ComponentChildren;
  readonly text: ComponentChildren;
  readonly buttons: readonly BannerButton[];
  readonly tone?: 'plain' | 'error';
}

/** Tells the person about a state, with buttons for what can be done about it. */
export function Banner(props: BannerProps) {
  const [named, name] = useAccessibleName(props.label);
  const titleSaysIt = props.title === undefined;
  return (
    <div class="atb-banner" role="group" {...named} data-tone={props.tone ?? 'plain'}>
      {!titleSaysIt && name}
      {props.icon === 'spinner' ? <Spinner /> : <Icon name={props.icon} />}
      <div class="atb-banner-body">
        <div class="atb-banner-title" {...(titleSaysIt && { id: named['aria-labelledby'] })}>
          {props.title ?? props.label}
        </div>
        <div class="atb-banner-text">{props.text}</div>
        {props.buttons.length > 0 && (
          <div class="atb-buttons">
            {props.buttons.map((button) => (
              <Button
                key={button.label}
                kind={button.quiet === true ? 'quiet' : 'plain'}
                words={button.label}
                disabled={button.disabled}
                onClick={button.onClick}
              />
            ))}
          </div>
        )}
      </div>
    </div>
  );
}

/** A card with an icon, about a session or a run; `name` is its accessible name. */
export function Card(props: {
  readonly name: string;
  readonly icon: string;
  readonly class?: string;
  readonly tone?: 'plain' | 'error';
  /** id of the request that the card shows */
  readonly requestId?: string;
  /** id of the task that the card is about */
  readonly task?: string | null;
  readonly children: ComponentChildren;
}) {
  const [named, name] = useAccessibleName(props.name);
  const more = props.class === undefined ? '' : ` ${props.class}`;
  return (
    <div
      class={`atb-card${more}`}
      role="group"
      data-tone={props.tone}
      data-need={props.requestId}
      data-task={props.task}
      {...named}
    >
      {name}
      <Icon name={props.icon} />
      <div class="atb-card-body">{props.children}</div>
    </div>
  );
}

/** The head of a foldable part. */
export function FoldHead(props: {
  readonly class: string;
  readonly open: boolean;
  readonly onToggle: () => void;
  readonly children: ComponentChildren;
}) {
  return (
    <button type="button" class={props.class} aria-expanded={props.open} onClick={props.onToggle}>
      <span class="atb-twisty" aria-hidden="true" />
      {props.children}
    </button>
  );
}

interface DisclosureProps {
  /** `spinner`, or the name of an icon */
  readonly icon: string;
  readonly name: string;
  /** the object, in a muted colour */
  readonly object?: string | undefined;
  /** at the end of the line: the state in words */
  readonly state?: ComponentChildren;
  /** null: there is nothing to unfold */
  readonly open: boolean | null;
  readonly onToggle: () => void;
  readonly children?: ComponentChildren;
}

/** One line that unfolds to its children. */
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

/** Whole seconds until `at` (ms since the epoch), updated once a second; 0 once it is past. */
export function Countdown({ at }: { readonly at: number }) {
  const [now, setNow] = useState(() => Date.now());
  useLayoutEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1_000);
    return () => window.clearInterval(timer);
  }, []);
  return <>{t('dates.seconds', { n: Math.max(0, Math.ceil((at - now) / 1_000)) })}</>;
}
