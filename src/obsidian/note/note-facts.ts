import { setIcon } from 'obsidian';
import { boardFacts, isUnderReview } from '../../core/board/facts';
import { criticalTasks } from '../../core/board/graph/schedule';
import { markState, type MarkState } from '../../core/board/task-display';
import type { Board, Task } from '../../core/board/task';
import { dayLabel } from '../session/state-line';
import { COMMA, t } from '../language/text';
import { plainLine } from '../ui/text';

interface NoteFact {
  /** name of an icon, or null */
  readonly icon: string | null;
  readonly text: string;
}

/** A task as drawn in reading mode: its state, and the fields after its title as muted facts. */
export interface ReadingTask {
  readonly mark: MarkState;
  readonly facts: readonly NoteFact[];
}

/** What reading mode shows for each task, by key. */
export function readingTasks(board: Board, today: string): ReadonlyMap<string, ReadingTask> {
  const facts = boardFacts(board);
  const critical = criticalTasks(board.tasks);
  const numbers = new Map(board.tasks.map((task) => [task.id, task.n]));
  return new Map(
    board.tasks.map((task) => {
      const known = facts.get(task.key);
      const waitsFor = (known?.blockedBy ?? []).map((id) => {
        const number = numbers.get(id) ?? null;
        return number === null ? id : `#${number}`;
      });
      return [
        task.key,
        {
          mark: markState(task, known?.blocked === true),
          facts: factsOf(task, { waitsFor, today, critical: critical.has(task.key) }),
        },
      ];
    }),
  );
}

const PRIORITY_ICONS = {
  critical: 'chevrons-up',
  high: 'chevron-up',
  medium: null,
  normal: null,
  low: 'chevron-down',
  lowest: 'chevrons-down',
} as const;

interface FactContext {
  readonly waitsFor: readonly string[];
  readonly critical: boolean;
  readonly today: string;
}

function factsOf(task: Task, { waitsFor, critical, today }: FactContext): readonly NoteFact[] {
  const open = task.status === 'pending' || task.status === 'in_progress';
  const facts: NoteFact[] = [];
  if (task.n !== null) facts.push({ icon: null, text: `#${task.n}` });
  if (task.status === 'failed') {
    const { reason } = task;
    const text = reason === null ? t('mark.failed') : t('words.failedWhy', { reason });
    facts.push({ icon: null, text });
  }
  if (isUnderReview(task)) facts.push({ icon: 'eye', text: t('words.waitsForYourReview') });
  if (task.status === 'deferred') facts.push({ icon: null, text: t('mark.deferred') });
  if (open && waitsFor.length > 0) {
    facts.push({ icon: 'hourglass', text: t('words.waitsFor', { title: waitsFor.join(COMMA) }) });
  }
  if (open && PRIORITY_ICONS[task.priority] !== null) {
    facts.push({ icon: PRIORITY_ICONS[task.priority], text: t(`priority.${task.priority}`) });
  }
  if (open && (task.risk === 'high' || task.risk === 'critical')) {
    facts.push({ icon: 'triangle-alert', text: t(`risk.${task.risk}`) });
  }
  if (open && critical) facts.push({ icon: 'route', text: t('boardView.criticalPath') });
  if (task.owner !== null) {
    facts.push(
      task.owner === 'me'
        ? { icon: 'user-round', text: t('words.you') }
        : { icon: 'bot', text: task.owner },
    );
  }
  if (open && task.due !== null) {
    facts.push({ icon: 'calendar', text: dayLabel(task.due, today) });
  }
  return facts;
}

/** The line of a task in reading mode: mark, title, facts. */
export class TaskHead {
  readonly element = createDiv({ cls: 'atb-note-head' });
  /** draws the shape; the input inside is the actual control */
  private readonly box = this.element.createSpan({ cls: 'atb-mark' });
  private readonly mark = this.box.createEl('input', { type: 'checkbox' });
  private readonly title: HTMLElement;
  private readonly facts: HTMLElement;

  /** @param words the rendered title */
  constructor(words: readonly (Node | string)[], onTick: () => void) {
    const line = this.element.createSpan({ cls: 'atb-note-words' });
    this.title = line.createSpan({ cls: 'atb-note-title' });
    this.title.append(...words);
    this.facts = line.createSpan({ cls: 'atb-note-facts' });
    this.mark.addEventListener('click', (event) => {
      event.preventDefault();
      onTick();
    });
  }

  draw(task: Task, { mark, facts }: ReadingTask, readOnly = false): void {
    this.mark.checked = task.status === 'completed';
    this.mark.indeterminate = task.status === 'in_progress';
    this.mark.disabled = readOnly;
    this.mark.setAttr('aria-label', plainLine(task.title));
    this.box.setAttr('data-state', mark);
    this.title.setAttr('data-state', mark);
    const words = JSON.stringify(facts);
    if (this.facts.dataset['words'] === words) return;
    this.facts.dataset['words'] = words;
    this.facts.empty();
    for (const { icon, text } of facts) {
      const fact = this.facts.createSpan({ cls: 'atb-fact' });
      if (icon !== null) {
        const place = fact.createSpan({ cls: 'atb-icon', attr: { 'aria-hidden': 'true' } });
        setIcon(place, icon);
      }
      fact.createSpan({ text });
    }
  }
}
