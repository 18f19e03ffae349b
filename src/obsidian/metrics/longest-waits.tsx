import type { Wait } from '../../core/metrics/file-sums';
import type { Metrics } from '../../core/metrics/metrics';
import { t } from '../language/text';
import { useAccessibleName } from '../ui/icon';
import { shortTime, plainLine } from '../ui/text';
import { waitDuration } from './figure-words';

/** A function that opens what waited; undefined if it no longer exists. */
export type WaitOpener = (wait: Wait) => (() => unknown) | undefined;

const WAIT_LABELS: Readonly<Record<Wait['kind'], string>> = {
  answer: t('metrics.answerWait'),
  blocked: t('metrics.blockedWait'),
  lead: t('metrics.leadWait'),
};

const MAX_WAITS = 10;

/** "Score by field · For tasks before it, still waiting · 19 November 12:00" */
export function waitText(wait: Wait, now: number): string {
  return [wait.what, ...whyWords(wait, now)].join(' · ');
}

function whyWords({ kind, ms, from }: Wait, now: number): readonly string[] {
  const why = WAIT_LABELS[kind];
  return [ms === null ? t('metrics.stillWaits', { kind: why }) : why, shortTime(from, now)];
}

export function LongestWaits(props: {
  readonly waits: ReturnType<typeof longestWaits>;
  readonly now: number;
}) {
  const { waits, now } = props;
  const [named, name] = useAccessibleName(t('metrics.longest'));
  return (
    <section class="atb-metrics-waits" {...named}>
      {name}
      <h3>{t('metrics.longest')}</h3>
      {waits.length === 0 && <p class="atb-metrics-note">{t('metrics.nothingWaited')}</p>}
      <ul>
        {waits.map(({ wait, ms, open }) => (
          <li key={`${wait.kind} ${wait.from} ${wait.what}`}>
            <button type="button" class="atb-metrics-wait" onClick={() => void open()}>
              <span class="atb-title">{plainLine(wait.what)}</span>
              <span class="atb-metrics-why">{whyWords(wait, now).join(' · ')}</span>
              <span class="atb-metrics-ms">{waitDuration(ms)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function longestWaits(opener: WaitOpener, { waits }: Metrics, now: number) {
  const all = waits.flatMap((wait) => {
    const open = opener(wait);
    return open ? [{ wait, open, ms: wait.ms ?? Math.max(0, now - wait.from) }] : [];
  });
  return all.sort((a, b) => b.ms - a.ms).slice(0, MAX_WAITS);
}
