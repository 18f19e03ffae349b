import { Modal, setIcon, type App } from 'obsidian';
import { render } from 'preact';
import type { Undo } from '../../core/ports';
import { IconDrawer } from '../part/icon';
import { ASK_TITLE_ID } from './ask-title';
import type { Answer } from './answer';
import { AskDialog } from './ask-dialog';
import { needQuestion, type Need } from './need';
import type { Step } from './permission-form';

/** What the modal draws; it looks again whenever `onChange` fires. */
export interface AskQueue {
  needs(): readonly Need[];
  connected(): boolean;
  onChange(listener: () => void): Undo;
  answer(need: Need, answer: Answer): void;
  /** The shown need went away without an answer from here. */
  answeredElsewhere(need: Need): void;
}

/** The dialog that asks: one need after the other, until none is left or Esc leaves them pending. */
export class AskModal extends Modal {
  private shown: Need | undefined;
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
    this.shown = this.queue.needs().find((need) => need.request.requestId === this.first.requestId);
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
    const at = needs.findIndex((need) => need.request.requestId === this.shown?.request.requestId);
    if (at < 0) {
      if (this.shown !== undefined) this.queue.answeredElsewhere(this.shown);
      return this.show(needs[0]);
    }
    const need = needs[at];
    if (need === undefined) return;
    this.shown = need;
    this.setTitle(needQuestion(need));
    this.titleEl.id = ASK_TITLE_ID;
    render(
      <IconDrawer.Provider value={setIcon}>
        <AskDialog
          need={need}
          index={at}
          total={needs.length}
          connected={this.queue.connected()}
          step={need.request.requestId === this.first.requestId ? this.first.step : 'ask'}
          onMove={(step) => this.show(needs[at + step] ?? need)}
          onAnswer={(answered, answer) => {
            this.shown = needs[at + 1] ?? needs[at - 1];
            this.queue.answer(answered, answer);
            if (this.shown === undefined) this.close();
          }}
        />
      </IconDrawer.Provider>,
      this.contentEl,
    );
  }

  private show(need: Need | undefined): void {
    this.shown = need;
    if (need === undefined) this.close();
    else this.draw();
  }
}
