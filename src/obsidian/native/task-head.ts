import { setIcon } from 'obsidian';
import type { Task } from '../../core/board/task';
import type { NoteFact, NoteTask } from '../note/note-facts';

/** The line of a task in a native note: mark, title, facts. */
export class TaskHead {
  readonly element = createDiv({ cls: 'atb-note-head' });
  private readonly box: HTMLElement;
  private readonly mark: HTMLInputElement;
  private readonly title: HTMLElement;
  private readonly facts: HTMLElement;

  constructor(
    readonly key: string,
    words: readonly (Node | string)[],
    onTick: () => void,
  ) {
    this.box = this.element.createSpan({ cls: 'atb-mark' });
    this.mark = this.box.createEl('input', { type: 'checkbox' });
    const line = this.element.createSpan({ cls: 'atb-note-words' });
    this.title = line.createSpan({ cls: 'atb-note-title' });
    this.title.append(...words);
    this.facts = line.createSpan({ cls: 'atb-note-facts' });
    this.mark.addEventListener('click', (event) => {
      event.preventDefault();
      onTick();
    });
  }

  draw(task: Task, { mark, facts }: NoteTask): void {
    this.mark.checked = task.status === 'completed';
    this.mark.indeterminate = task.status === 'in_progress';
    this.mark.setAttr('aria-label', task.title);
    this.box.setAttr('data-state', mark);
    this.title.setAttr('data-state', mark);
    const words = JSON.stringify(facts);
    if (this.facts.dataset['words'] === words) return;
    this.facts.dataset['words'] = words;
    this.facts.empty();
    for (const fact of facts) this.drawFact(fact);
  }

  private drawFact({ icon, text }: NoteFact): void {
    const fact = this.facts.createSpan({ cls: 'atb-fact' });
    if (icon !== null) {
      setIcon(fact.createSpan({ cls: 'atb-icon', attr: { 'aria-hidden': 'true' } }), icon);
    }
    fact.createSpan({ text });
  }
}
