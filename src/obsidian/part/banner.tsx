import type { ComponentChildren } from 'preact';
import { Icon } from './icon';
import { Spinner } from './spinner';
import { useName } from './use-name';

export interface BannerButton {
  readonly label: string;
  readonly onClick: () => void;
  /** drawn without a frame: the lesser choice */
  readonly quiet?: boolean;
  readonly disabled?: boolean;
}

/** A state that a person should know, in words, with what can be done about it. */
export function Banner(props: {
  /** `spinner`, or the name of an icon */
  readonly icon: string;
  /** accessible name */
  readonly label: string;
  readonly title: ComponentChildren;
  readonly text: ComponentChildren;
  readonly buttons: readonly BannerButton[];
  readonly tone?: 'plain' | 'error';
}) {
  const [named, name] = useName(props.label);
  const titleSaysIt = props.title === props.label;
  return (
    <div class="atb-banner" role="group" {...named} data-tone={props.tone ?? 'plain'}>
      {!titleSaysIt && name}
      {props.icon === 'spinner' ? <Spinner /> : <Icon name={props.icon} />}
      <div class="atb-banner-body">
        <div class="atb-banner-title" {...(titleSaysIt && { id: named['aria-labelledby'] })}>
          {props.title}
        </div>
        <div class="atb-banner-text">{props.text}</div>
        {props.buttons.length > 0 && (
          <div class="atb-buttons">
            {props.buttons.map((button) => (
              <button
                type="button"
                key={button.label}
                class={button.quiet === true ? 'atb-button-quiet' : 'atb-button'}
                disabled={button.disabled}
                onClick={button.onClick}
              >
                {button.label}
              </button>
            ))}
          </div>
        )}
      </div>
    </div>
  );
}
