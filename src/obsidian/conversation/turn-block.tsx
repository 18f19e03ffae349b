import type { BlockOf } from '../../core/session/transcript/block';
import { Banner } from '../part/banner';

export interface TurnMeans {
  /** Says the person's last words once more. */
  readonly tryAgain: () => void;
  readonly copy: (text: string) => void;
}

/** The end of a turn: nothing where all went well, else why it stopped. */
export function TurnBlock(props: {
  readonly block: BlockOf<'turn'>;
  /** only then it can be tried again */
  readonly last: boolean;
  readonly means: TurnMeans;
}) {
  const { block, last, means } = props;
  if (block.reason === 'completed') return null;
  if (block.reason === 'interrupted') return <p class="atb-talk-note">You stopped this turn.</p>;
  const { code, message } = block.error ?? { code: 'error', message: 'It did not say why.' };
  const again = last ? [{ label: 'Try again', onClick: means.tryAgain }] : [];
  const copy = {
    label: 'Copy details',
    quiet: true,
    onClick: () => means.copy(`${code}: ${message}`),
  };
  return (
    <Banner
      icon="circle-alert"
      tone="error"
      label="The turn ended with an error"
      title="The turn ended with an error."
      text={message}
      buttons={[...again, copy]}
    />
  );
}
