import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { CONTEXT_PARTS, FULL, NEARLY_FULL, type ContextUse } from '../../core/context/context-use';
import { Button, Spinner, useAccessibleName } from '../ui/icon';
import { figure, t } from '../language/text';

/** What the meter can do with a session. */
export interface MeterActions {
  /** Compacts the session; shows a notice if that fails. */
  readonly compact: () => Promise<void>;
  /** How full the context is, with the files as they are now. */
  readonly contextNow: () => Promise<ContextUse>;
  /** Why the session can't be compacted now; undefined if it can. */
  readonly whyNotCompact: () => string | undefined;
}

/** How full the context is; unfolds to its parts and the button that compacts it. */
export function ContextMeter({ use, actions }: { use: ContextUse; actions: MeterActions }) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const [panel] = useState(() => `atb-${crypto.randomUUID()}`);
  const { used, share } = use;
  if (used === 0) return null;
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return;
        event.preventDefault();
        event.stopPropagation();
        close();
      }}
    >
      <button
        ref={button}
        type="button"
        class="atb-context-meter"
        data-level={levelOf(share)}
        aria-expanded={open}
        aria-controls={open ? panel : undefined}
        onClick={() => setOpen(!open)}
      >
        {share !== undefined && <Gauge share={share} />}
        <span class="atb-context-words">
          {share === undefined
            ? t('conversation.tokensOfContext', { count: used })
            : t('conversation.shareOfContext', { share: percent(share) })}
        </span>
        <span class="atb-context-figure" aria-hidden="true">
          {share === undefined ? figure(used) : `${percent(share)}%`}
        </span>
      </button>
      {open && <ContextPanel id={panel} use={use} actions={actions} />}
    </div>
  );
}

function ContextPanel(props: { id: string; use: ContextUse; actions: MeterActions }) {
  const { id, actions } = props;
  const [use, setUse] = useState(props.use);
  useLayoutEffect(() => {
    let shown = true;
    void actions.contextNow().then((now) => {
      if (shown) setUse(now);
    });
    return () => void (shown = false);
  }, [props.use, actions]);
  const [named, name] = useAccessibleName(t('conversation.context'));
  const { used, limit, reserve, parts, summaryOnly } = use;
  const room = limit === undefined ? undefined : limit - reserve;
  const rows = [
    ...CONTEXT_PARTS.map((part) => [part, parts[part]] as const),
    ...(room === undefined
      ? []
      : [['reserve', reserve] as const, ['free', Math.max(0, room - used)] as const]),
  ].filter(([, size]) => size > 0);
  return (
    <div class="atb-context" role="group" id={id} {...named}>
      {name}
      <div class="atb-context-head">
        {room === undefined
          ? t('conversation.contextUsedOnly', { used })
          : t('conversation.contextUsed', { used, room })}
      </div>
      <div class="atb-context-bar" aria-hidden="true">
        {rows.map(([part, size]) => (
          <span key={part} data-part={part} style={{ flexGrow: size }} />
        ))}
      </div>
      <ul class="atb-context-parts">
        {rows.map(([part, size]) => (
          <li key={part} data-part={part}>
            <span>{t(`contextPart.${part}`)}</span>{' '}
            <span>{t('conversation.tokens', { size })}</span>
          </li>
        ))}
      </ul>
      <p class="atb-talk-note">
        {t(summaryOnly ? 'conversation.contextOfSummary' : 'conversation.contextEstimated')}
      </p>
      <CompactButton actions={actions} />
    </div>
  );
}

/** Compacts the session; if that is not possible, the text beside it says why. */
function CompactButton({ actions }: { actions: MeterActions }) {
  const [busy, setBusy] = useState(false);
  const why = busy ? undefined : actions.whyNotCompact();
  const compact = async () => {
    setBusy(true);
    await actions.compact();
    setBusy(false);
  };
  return (
    <div class="atb-buttons">
      {busy && <Spinner />}
      <Button
        words={t(busy ? 'conversation.compacting' : 'conversation.compactNow')}
        disabled={busy || why !== undefined}
        onClick={() => void compact()}
      />
      {why !== undefined && <span class="atb-talk-note">{why}</span>}
    </div>
  );
}

/** Advice for when the context is full. */
export function ContextFullNote({ use, actions }: { use: ContextUse; actions: MeterActions }) {
  const { share } = use;
  if (share === undefined || share < FULL) return null;
  return (
    <div class="atb-context-full">
      <p class="atb-talk-note" role="status">
        {t('conversation.contextFull', { share: percent(share) })}
      </p>
      <CompactButton actions={actions} />
    </div>
  );
}

function Gauge({ share }: { share: number }) {
  const width = `${Math.min(100, Math.round(share * 100))}%`;
  return (
    <span class="atb-context-gauge" aria-hidden="true">
      <span style={{ width }} />
    </span>
  );
}

function levelOf(share: number | undefined): 'full' | 'high' | 'fine' {
  if (share === undefined || share < NEARLY_FULL) return 'fine';
  return share < FULL ? 'high' : 'full';
}

function percent(share: number): number {
  return Math.max(1, Math.round(share * 100));
}
