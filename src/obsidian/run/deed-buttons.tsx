import { useContext } from 'preact/hooks';
import type { DeedButton } from './deed';
import { waitsItsTurn } from './doing-words';
import { Doing } from './use-doing';

/** The buttons of a card or of the head. */
export function DeedButtons(props: {
  readonly buttons: readonly DeedButton[];
  /** the first is the one thing to do in this view */
  readonly primary?: boolean;
  readonly onDo: (button: DeedButton) => void;
}) {
  const doing = useContext(Doing);
  if (props.buttons.length === 0) return null;
  return (
    <div class="atb-buttons">
      {props.buttons.map((button, at) => (
        <button
          type="button"
          key={button.label}
          disabled={doing !== undefined && waitsItsTurn(button.deed)}
          class={buttonClass(button, at === 0 && props.primary === true)}
          onClick={() => props.onDo(button)}
        >
          {button.label}
        </button>
      ))}
    </div>
  );
}

function buttonClass({ quiet }: DeedButton, primary: boolean): string {
  if (quiet === true) return 'atb-button-quiet';
  return primary ? 'mod-cta atb-button' : 'atb-button';
}
