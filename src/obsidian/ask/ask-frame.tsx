import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ASK_TITLE_ID } from './ask-title';
import type { Step } from './step';

/** What is around a permission that is asked: its name, its description, its keys, where it begins. */
export function AskFrame(props: {
  readonly requestId: string;
  /** of the model's call, where one of our tools asks */
  readonly callId?: string | undefined;
  /** id of the element that says what is asked */
  readonly describedBy: string;
  readonly origin: string;
  /** title of the task that the agent is at */
  readonly task?: string | undefined;
  readonly step: Step;
  /** Ctrl Enter, at the first step */
  readonly onAllow: () => void;
  readonly children: ComponentChildren;
}) {
  const { requestId, step } = props;
  const form = useRef<HTMLDivElement>(null);
  // The button that led to a step is gone with it; a field for words takes the focus itself.
  useLayoutEffect(() => {
    if (step !== 'deny') form.current?.focus({ preventScroll: true });
    // What a second step adds is at the end, with what answers it.
    if (step !== 'ask') form.current?.scrollIntoView({ block: 'end' });
  }, [step]);
  useLayoutEffect(() => keepFocus(form.current));
  const answerOnKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    // A key that is held answers what it was pressed for, and nothing that comes after that.
    if (event.repeat) return;
    if (step === 'ask') props.onAllow();
    // The same as its button, which is off as long as nothing is answered.
    else form.current?.querySelector<HTMLElement>(`button[data-reply=${REPLIES[step]}]`)?.click();
  };
  return (
    <div
      class="atb-permission"
      role="alertdialog"
      aria-labelledby={ASK_TITLE_ID}
      aria-describedby={props.describedBy}
      data-request={requestId}
      data-call={props.callId}
      data-step={step}
      tabIndex={-1}
      ref={form}
      onKeyDown={answerOnKey}
    >
      <p class="atb-ask-origin">
        {props.origin}
        {props.task !== undefined && ` · for ${props.task}`}
      </p>
      {props.children}
    </div>
  );
}

/** What a second step is about. */
const REPLIES = { always: 'always', deny: 'reject' } as const;

/** Where the control that had the focus is off or gone, the dialog has it: its keys go on working. */
function keepFocus(form: HTMLElement | null): void {
  const at = form?.ownerDocument.activeElement;
  const lost = at === form?.ownerDocument.body || (at?.matches(':disabled') && form?.contains(at));
  if (lost === true) form?.focus({ preventScroll: true });
}
