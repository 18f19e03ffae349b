import { useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import type { Undo } from '../../core/ports';
import type { Need } from '../ask/need';
import { mineOf } from '../model/mine';
import type { OverviewState } from '../model/overview';
import { ContinueLine, type ContinueLineProps } from '../part/continue-line';
import { useName } from '../part/use-name';
import type { Intents } from './intents';
import { MineCard } from './mine-card';
import { NeedCard } from './need-card';
import type { SidebarRequests } from './sidebar-requests';

/** What waits now, and word of each change. */
export interface NeedsSource {
  needs(): readonly Need[];
  onChange(listener: () => void): Undo;
}

export interface NeedsYouProps {
  readonly source: NeedsSource;
  readonly requests?: SidebarRequests;
  readonly state: OverviewState;
  readonly intents: Intents;
}

/** Own tasks that are shown at once; the others stand in the tree. */
const MOST_MINE = 5;

/** What waits for the person, collected in one place, and what goes on unless they stop it. */
export function NeedsYou({ source, requests, state, intents }: NeedsYouProps) {
  const [open, setOpen] = useState(true);
  const needs = useNeeds(source);
  const { boards, sessions } = state;
  const mine = useMemo(() => mineOf({ boards, sessions }), [boards, sessions]);
  const count = needs.length + mine.length;
  const [named, name] = useName(`Needs you, ${count}`);
  const cards = useNextCard(requests, () => setOpen(true));
  return (
    <>
      <Continues state={state} intents={intents} />
      {count > 0 && (
        <section class="atb-needs" {...named} ref={cards}>
          {name}
          <button
            type="button"
            class="atb-needs-head"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            <span class="atb-twisty" aria-hidden="true" />
            Needs you <span class="atb-badge">{count}</span>
          </button>
          {open &&
            needs.map((need, place) => (
              <NeedCard key={need.request.requestId} {...{ need, place, intents }} />
            ))}
          {open &&
            mine
              .slice(0, MOST_MINE)
              .map((one) => (
                <MineCard key={`${one.board.path}#${one.task.key}`} mine={one} intents={intents} />
              ))}
          {open && mine.length > MOST_MINE && (
            <div class="atb-card-text">and {mine.length - MOST_MINE} more tasks of yours</div>
          )}
        </section>
      )}
    </>
  );
}

/** On request the keyboard goes to the next card, from the last to the first. */
function useNextCard(requests: SidebarRequests | undefined, unfold: () => void) {
  const section = useRef<HTMLElement>(null);
  const [asked, ask] = useReducer((count: number) => count + 1, 0);
  // Whoever brings the sidebar up asks at once.
  useLayoutEffect(
    () =>
      requests?.on((request) => {
        if (request !== 'needs-you') return;
        unfold();
        ask(undefined);
      }),
    [requests],
  );
  // Once what was folded is drawn.
  useLayoutEffect(() => {
    if (asked > 0) focusNext(section.current);
  }, [asked]);
  return section;
}

function focusNext(section: HTMLElement | null): void {
  const cards = [...(section?.querySelectorAll('.atb-card') ?? [])];
  const at = cards.findIndex((card) => card.contains(card.ownerDocument.activeElement));
  const next = cards[(at + 1) % cards.length];
  next?.scrollIntoView({ block: 'nearest' });
  next?.querySelector<HTMLElement>('button, input, [tabindex]')?.focus();
}

function useNeeds(source: NeedsSource): readonly Need[] {
  const [needs, setNeeds] = useState(() => source.needs());
  useLayoutEffect(() => {
    setNeeds(source.needs());
    return source.onChange(() => setNeeds(source.needs()));
  }, [source]);
  return needs;
}

/** Sessions that count down, each with its title. */
function Continues({ state, intents }: Pick<NeedsYouProps, 'state' | 'intents'>) {
  return (
    <>
      {[...state.continues].map(([id, now]) => {
        if (now.kind !== 'waiting') return null;
        const title = state.sessions.find((session) => session.id === id)?.title || id;
        return <GoesOn key={id} {...{ id, title, now, intents }} />;
      })}
    </>
  );
}

function GoesOn(props: {
  readonly id: string;
  readonly title: string;
  readonly now: ContinueLineProps['state'];
  readonly intents: NeedsYouProps['intents'];
}) {
  const { id, title, now, intents } = props;
  const [named, name] = useName(`${title} continues by itself`);
  return (
    <section class="atb-needs" {...named}>
      {name}
      <div class="atb-card-text">{title}</div>
      <ContinueLine
        state={now}
        onContinue={() => intents.continueNow(id)}
        onStop={() => intents.stopContinuing(id)}
      />
    </section>
  );
}
