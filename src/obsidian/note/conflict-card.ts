import type { KeptVersion } from '../../core/board/merge/kept-versions';
import { taskLineParts } from '../../core/board/merge/task-line-parts';
import type { DrawIcon } from '../part/icon';

export interface ConflictCard {
  readonly version: KeptVersion;
  /** which of how many */
  readonly place: number;
  readonly count: number;
  /** who wrote the other version */
  readonly other: string;
  readonly drawIcon: DrawIcon;
  readonly choose: (side: 'mine' | 'theirs') => void;
}

/** Both versions of a line, and the choice between them. */
export function conflictCard(card: ConflictCard): HTMLElement {
  const { version, other, choose } = card;
  const title = `Two versions of ${version.title}`;
  // Labelled by its head: the app shows each `aria-label` as a tooltip.
  const id = `atb-conflict-${card.place}`;
  const element = createDiv({
    cls: 'atb-conflict',
    attr: { role: 'group', 'aria-labelledby': id, contenteditable: 'false' },
  });
  const head = element.createDiv({ cls: 'atb-conflict-head' });
  card.drawIcon(head.createSpan({ cls: 'atb-icon', attr: { 'aria-hidden': 'true' } }), 'git-merge');
  head.createSpan({ cls: 'atb-conflict-title', text: title, attr: { id } });
  head.createSpan({ cls: 'atb-conflict-count', text: `${card.place} of ${card.count}` });
  const { yours, theirs } = shown(version);
  const rows = element.createDiv({ cls: 'atb-conflict-rows' });
  addRow(rows, 'Yours', yours, 'Keep yours', () => choose('mine'), true);
  addRow(rows, other, theirs, `Use ${possessive(other)}`, () => choose('theirs'), false);
  element.createDiv({
    cls: 'atb-conflict-note',
    text: 'Yours is in the note. The other is kept until you choose.',
  });
  return element;
}

/** The titles, where they differ; else the lines, since what differs stands elsewhere in them. */
function shown({ yours, theirs }: KeptVersion): { yours: string; theirs: string } {
  const [own, other] = [taskLineParts(yours), taskLineParts(theirs)];
  if (own === undefined || other === undefined || own.title === other.title) {
    return { yours: yours.trim(), theirs: theirs.trim() };
  }
  return { yours: own.title, theirs: other.title };
}

function addRow(
  rows: HTMLElement,
  who: string,
  text: string,
  label: string,
  choose: () => void,
  primary: boolean,
): void {
  const row = rows.createDiv({ cls: 'atb-conflict-row' });
  row.createSpan({ cls: 'atb-conflict-who', text: who });
  row.createSpan({ cls: 'atb-conflict-text', text });
  const button = row.createEl('button', { text: label, attr: { type: 'button' } });
  button.addClass(primary ? 'mod-cta' : 'atb-button');
  button.addEventListener('click', choose);
}

function possessive(name: string): string {
  return `${name}’s`;
}
