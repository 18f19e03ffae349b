import { Modal, setIcon, type App } from 'obsidian';
import { render } from 'preact';
import type { Undo } from '../../core/ports';
import { IconDrawer } from '../part/icon';
import { ASK_TITLE_ID } from './ask-title';
import type { Answer } from './answer';
import { AskDialog } from './ask-dialog';
import { needQuestion, type Need } from './need';
import type { Step } from './step';
import type { UnsentWords } from './unsent-words';

/** What the modal draws; it looks again whenever `onChange` fires. */
export interface AskQueue {
  needs(): readonly Need[];
  readonly unsent: UnsentWords;
  /** whether the OpenCode that asks can be reached */
  connected(need: Need): boolean;
  /** whether what would be written changed, and is asked anew in a moment */
  stale(need: Need): boolean;
  /** title of the task that the agent is at */
  task(need: Need): string | undefined;
  /** ms since the epoch */
  now(): number;
  onChange(listener: () => void): Undo;
  answer(need: Need, answer: Answer): void;
  /** The shown need went away without an answer from here. */
  gone(need: Need): void;
}

/** The dialog that asks: one need after the other, until none is left or Esc leaves them pending. */
export class AskModal extends Modal {
  private shown: Need | undefined;
  /** of the form that is drawn; what replaces a request takes its place in it */
  private place = '';
  private stop: Undo | undefined;

  constructor(
    app: App,
    private readonly queue: AskQueue,
    private readonly first: { readonly requestId: string; readonly step: Step },
    private readonly onClosed: () => void,
  ) {
    super(app);
  }

  override onOpen(): void {
    this.modalEl.addClass('atb-ask');
    const { requestId } = this.first;
    this.shown = this.queue.needs().find((need) => need.request.requestId === requestId);
    this.place = requestId;
    this.stop = this.queue.onChange(() => this.draw());
    this.draw();
  }

  override onClose(): void {
    this.stop?.();
    render(null, this.contentEl);
    this.onClosed();
  }

  private draw(): void {
    const needs = this.queue.needs();
    const id = this.shown?.request.requestId;
    let at = needs.findIndex((need) => need.request.requestId === id);
    if (at < 0 && id !== undefined) at = needs.findIndex((need) => replaces(need, id));
    const need = needs[at];
    if (need === undefined) {
      if (this.shown !== undefined) this.queue.gone(this.shown);
      return this.show(needs[0]);
    }
    this.shown = need;
    this.setTitle(needQuestion(need));
    this.titleEl.id = ASK_TITLE_ID;
    render(
      <IconDrawer.Provider value={setIcon}>
        <AskDialog
          {...{ need, place: this.place, index: at, total: needs.length }}
          connected={this.queue.connected(need)}
          stale={this.queue.stale(need)}
          task={this.queue.task(need)}
          now={() => this.queue.now()}
          unsent={this.queue.unsent}
          step={this.place === this.first.requestId ? this.first.step : 'ask'}
          onMove={(step) => this.show(needs[at + step] ?? need)}
          onAnswer={(answered, answer) => {
            this.next(needs[at + 1] ?? needs[at - 1]);
            this.queue.answer(answered, answer);
            if (this.shown === undefined) this.close();
          }}
        />
      </IconDrawer.Provider>,
      this.contentEl,
    );
  }

  private show(need: Need | undefined): void {
    this.next(need);
    if (need === undefined) this.close();
    else this.draw();
  }

  private next(need: Need | undefined): void {
    this.shown = need;
    this.place = need?.request.requestId ?? '';
  }
}

/** A request that asks for what another one asked, since the note is another now. */
function replaces(need: Need, requestId: string): boolean {
  return need.kind === 'ask' && need.request.replaces === requestId;
}
