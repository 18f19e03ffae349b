import type { RunView } from '../../core/orchestrator/runs';
import { STATE_WORDS } from '../../core/orchestrator/run-words';
import type { RunState } from '../../core/orchestrator/state';
import { stateName } from '../../core/orchestrator/state-name';
import type { TimelineEntry } from '../../core/orchestrator/timeline';
import { goalOf } from './choose-run';
import { entryJson, stateJson } from './run-json';
import { entryLine, planLines, whyLines } from './run-text';

/** Prints what happens in a run: each thing once, a line each. */
export class RunTeller {
  private timeline: readonly TimelineEntry[] = [];
  private state = '';

  constructor(
    private readonly json: boolean,
    private readonly print: (text: string) => void,
  ) {}

  /** @param known what happened until then is not told */
  begin({ id, state }: RunView, known: RunState | undefined): void {
    if (this.json) this.line(JSON.stringify({ type: 'run', run: id, goal: goalOf(state) }));
    else this.line(`Run ${id}: ${goalOf(state)}`);
    if (known !== undefined && known.kind !== 'idle') this.timeline = known.run.timeline;
  }

  tell({ state, look }: RunView): void {
    if (state.kind === 'idle') return;
    for (const entry of newer(this.timeline, state.run.timeline)) {
      this.line(
        this.json ? JSON.stringify({ type: 'entry', ...entryJson(entry) }) : entryLine(bare(entry)),
      );
    }
    this.timeline = state.run.timeline;
    const now = JSON.stringify(stateJson(state));
    if (now === this.state) return;
    this.state = now;
    if (this.json) this.line(JSON.stringify({ type: 'state', ...stateJson(state) }));
    else if (state.kind === 'waiting') this.lines(whyLines(state));
    else if (stateName(state) === 'approving') {
      this.lines([`${STATE_WORDS.approving}:`, ...planLines(look)]);
    }
  }

  log(message: string, context: Readonly<Record<string, unknown>>): void {
    const at = new Date().toISOString();
    this.line(
      this.json
        ? JSON.stringify({ type: 'log', at, message, ...context })
        : `(${message} ${JSON.stringify(context)})`,
    );
  }

  private lines(lines: readonly string[]): void {
    for (const line of lines) this.line(line);
  }

  private line(text: string): void {
    this.print(`${text}\n`);
  }
}

/** Why it waits is told line by line behind it. */
function bare(entry: TimelineEntry): TimelineEntry {
  return entry.kind === 'waits' ? { ...entry, words: '' } : entry;
}

/** What a timeline has that it had not before; its oldest entries go. */
export function newer(
  before: readonly TimelineEntry[],
  now: readonly TimelineEntry[],
): readonly TimelineEntry[] {
  const last = before.at(-1);
  if (last === undefined) return now;
  const text = JSON.stringify(last);
  const at = now.findLastIndex((entry) => JSON.stringify(entry) === text);
  return now.slice(at + 1);
}
