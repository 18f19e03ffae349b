import {
  chainsReport,
  chainsWords,
  type BrokenChain,
  type ChainsState,
} from '../../core/permission/audit/audit-chains';
import { Banner } from '../part/banner';
import { Icon } from '../part/icon';
import { Spinner } from '../part/spinner';

/** "Intact, 1,284 entries"; a click looks at every entry again. */
export function ChainState(props: {
  readonly chains: ChainsState | undefined;
  readonly checking: boolean;
  readonly onCheck: () => void;
}) {
  const { chains, checking, onCheck } = props;
  const busy = checking || chains === undefined;
  const broken = chains !== undefined && chains.broken.length > 0;
  const words = busy ? 'Checking' : broken ? 'Not intact' : chainsWords(chains);
  return (
    <button
      type="button"
      class="atb-audit-chain"
      data-broken={!busy && broken}
      aria-label={`${words}. Check audit`}
      disabled={busy}
      onClick={onCheck}
    >
      {busy ? <Spinner /> : <Icon name={broken ? 'shield-alert' : 'shield-check'} />}
      {words}
    </button>
  );
}

/** What is wrong with the chains, each with the way to where it broke. */
export function BrokenChains(props: {
  readonly chains: ChainsState;
  readonly onShow: (broken: BrokenChain) => void;
  readonly onCopy: (report: string) => void;
}) {
  const { chains, onShow, onCopy } = props;
  return (
    <>
      {chains.broken.map((broken) => {
        const whose = chains.writers.length > 1 ? ` Written by ${broken.writer}.` : '';
        return (
          <Banner
            key={broken.writer}
            icon="shield-alert"
            label="The audit was changed"
            title="The audit was changed"
            text={`${broken.message}${whose}`}
            tone="error"
            buttons={[
              { label: `Show entry ${broken.entry}`, onClick: () => onShow(broken) },
              { label: 'Copy report', onClick: () => onCopy(chainsReport(chains)), quiet: true },
            ]}
          />
        );
      })}
    </>
  );
}
