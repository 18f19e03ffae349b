import type { App } from 'obsidian';
import { FocusTrapModal } from '../ui/dialog';
import { render } from 'preact';
import type { ToolPermissionReply } from '../../core/permission/ask';
import type { Undo } from '../../core/ports';
import { IconButton } from '../ui/icon';
import { ASK_TITLE_ID, type SharedAskProps, type AskStep, type PromptAnswer } from './ask-steps';
import { itemOrigin, itemQuestion, type AttentionItem } from '../model/attention';
import { AskForm } from './ask-form';
import type { Prompts } from './prompts';
import { PermissionForm, QuestionForm } from './request-forms';
import { t } from '../language/text';

/**
 * The dialog for requests: shows one after the other, until none is left or Esc leaves them
 * pending.
 */
export class AskModal extends FocusTrapModal {
  private shown: AttentionItem | undefined;
  /** key of the drawn form; a request that replaces another one keeps the form */
  private formKey = '';
  private stop: Undo | undefined;

  constructor(
    app: App,
    private readonly queue: Prompts,
    private readonly first: { readonly requestId: string; readonly step: AskStep },
    private readonly onClosed: () => void,
  ) {
    super(app);
  }

  override onOpen(): void {
    this.modalEl.addClass('atb-ask');
    const { requestId } = this.first;
    this.shown = this.queue.needs().find((need) => need.request.requestId === requestId);
    this.formKey = requestId;
    this.stop = this.queue.onChange(() => this.draw());
    this.draw();
  }

  override onClose(): void {
    this.stop?.();
    render(null, this.contentEl);
    this.onClosed();
  }

  private draw(): void {
    const { queue } = this;
    const needs = queue.needs();
    const id = this.shown?.request.requestId;
    let at = needs.findIndex((need) => need.request.requestId === id);
    if (at < 0 && id !== undefined) at = needs.findIndex((need) => replaces(need, id));
    const need = needs[at];
    if (need === undefined) {
      if (this.shown !== undefined) queue.notifyGone(this.shown);
      return this.show(needs[0]);
    }
    this.shown = need;
    this.setTitle(itemQuestion(need));
    this.titleEl.id = ASK_TITLE_ID;
    render(
      <AskDialog
        {...{ need, formKey: this.formKey, index: at, total: needs.length }}
        {...{ connected: queue.connected(need), stale: queue.stale(need), unsent: queue.unsent }}
        {...{ task: queue.deps.task(need), now: () => queue.deps.clock.now() }}
        step={this.formKey === this.first.requestId ? this.first.step : 'ask'}
        onMove={(step) => this.show(needs[at + step] ?? need)}
        onAnswer={(answered, answer) => {
          this.next(needs[at + 1] ?? needs[at - 1]);
          queue.answer(answered, answer);
          if (this.shown === undefined) this.close();
        }}
      />,
      this.contentEl,
    );
  }

  private show(need: AttentionItem | undefined): void {
    this.next(need);
    if (need === undefined) this.close();
    else this.draw();
  }

  private next(need: AttentionItem | undefined): void {
    this.shown = need;
    this.formKey = need?.request.requestId ?? '';
  }
}

/** Whether a request replaces another one whose note has changed. */
function replaces(need: AttentionItem, requestId: string): boolean {
  return need.kind === 'ask' && need.request.replaces === requestId;
}

export interface AskDialogProps extends Omit<SharedAskProps, 'origin' | 'queue'> {
  readonly need: AttentionItem;
  /** stays the same while a request replaces the one before */
  readonly formKey: string;
  /** position in the queue, from 0 */
  readonly index: number;
  readonly total: number;
  /** the note changed, and the request with the new change has not arrived yet */
  readonly stale: boolean;
  /** ms since the epoch */
  readonly now: () => number;
  readonly onAnswer: (need: AttentionItem, answer: PromptAnswer) => void;
  readonly onMove: (step: 1 | -1) => void;
}

/** The content of the dialog: one request of the queue, with buttons to its neighbours. */
export function AskDialog(props: AskDialogProps) {
  const moveOnKey = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
    event.preventDefault();
    props.onMove(event.key === 'ArrowRight' ? 1 : -1);
  };
  return (
    <div onKeyDown={moveOnKey}>
      <Form key={props.formKey} {...props} />
    </div>
  );
}

function Form(props: AskDialogProps) {
  const { need } = props;
  const shared = { ...props, origin: itemOrigin(need), queue: <Queue {...props} /> };
  const onAnswer = (answer: PromptAnswer) => props.onAnswer(need, answer);
  switch (need.kind) {
    case 'permission':
      return <PermissionForm {...{ ...shared, onAnswer }} request={need.request} />;
    case 'question':
      return <QuestionForm {...{ ...shared, onAnswer }} request={need.request} />;
    case 'ask': {
      const answerAsk = (answer: ToolPermissionReply) => onAnswer({ kind: 'ask', answer });
      return <AskForm {...{ ...shared, ask: need.request, onAnswer: answerAsk }} />;
    }
  }
}

function Queue(props: AskDialogProps) {
  if (props.total < 2) return null;
  return (
    <div class="atb-ask-queue">
      <span>{t('ask.placeOf', { place: props.index + 1, total: props.total })}</span>
      <IconButton
        {...{ icon: 'chevron-left', label: t('ask.earlierRequest'), disabled: props.index === 0 }}
        onClick={() => props.onMove(-1)}
      />
      <IconButton
        {...{ icon: 'chevron-right', label: t('ask.laterRequest') }}
        disabled={props.index === props.total - 1}
        onClick={() => props.onMove(1)}
      />
    </div>
  );
}
