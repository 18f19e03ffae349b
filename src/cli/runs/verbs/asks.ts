import type { RunView } from '../../../core/orchestrator/runs';
import { nodeClock } from '../../../node/node-clock';
import { permissionReply } from '../../../protocol/permission-reply';
import { WireError } from '../../../protocol/wire-error';
import { printed, usage, type Exit } from '../../exit';
import { answerAsk, type AskReply } from '../answer-ask';
import { asksText, shortId } from '../asks-text';
import { cantRun, connect, runOf } from '../carry-run';
import { isOver } from '../is-over';
import { questionAnswers } from '../question-answers';
import type { RunDesk, RunVerb } from '../run-verb';
import { waitingAsks, type WaitingAsk, type WaitingAsks } from '../waiting-asks';

const asks: RunVerb = {
  name: 'asks',
  takes: '[RUN]',
  says: 'what runs wait for: permissions and questions, each with the ID by which it is answered',
  options: [],
  words: { least: 0, most: 1 },
  run: (desk) =>
    withAsks(desk, desk.words[0], (found) => {
      const text = desk.given.json ? JSON.stringify(asksJson(found)) : asksText(found);
      return Promise.resolve(printed(0, text));
    }),
};

const answer: RunVerb = {
  name: 'answer',
  takes: 'ID ANSWER',
  says: 'answers one: once, always or reject; to a question a choice or your own words',
  options: ['words'],
  words: { least: 2, most: 2 },
  run: (desk) => {
    const [id = '', typed = ''] = desk.words;
    return withAsks(desk, undefined, async ({ asks: all, others }) => {
      const named = all.filter(({ request }) => id.length > 3 && request.requestId.endsWith(id));
      const [ask, more] = named;
      if (more !== undefined) return cantRun(desk, `Several requests end with "${id}".`);
      if (ask === undefined) return cantRun(desk, noneWords(id, all, others));
      const reply = replyOf(ask, typed, desk.given.text('words'));
      if (typeof reply === 'string') return usage(reply, 'run answer');
      const fault = await answerAsk(desk.open.openCode, nodeClock, ask, reply);
      return fault === undefined ? told(desk, ask, typed) : cantRun(desk, fault);
    });
  },
};

/** What a run asks, and the answer to it; the program that carries the run out hears it of OpenCode. */
export const ASKS: readonly RunVerb[] = [asks, answer];

async function withAsks(
  desk: RunDesk,
  named: string | undefined,
  then: (found: WaitingAsks) => Promise<Exit>,
): Promise<Exit> {
  const views = viewsOf(desk, named);
  if (typeof views === 'string') return usage(views, 'run asks');
  const fault = await connect(desk, desk.around.untilStopped());
  if (fault !== undefined) return cantRun(desk, fault);
  try {
    return await then(await waitingAsks(desk.open.openCode, views));
  } catch (error) {
    if (error instanceof WireError) return cantRun(desk, error.message);
    throw error;
  }
}

function viewsOf(desk: RunDesk, named: string | undefined): readonly RunView[] | string {
  const all = desk.open.runs.all().filter(({ state }) => !isOver(state));
  if (named === undefined) return all;
  const chosen = runOf(desk, named);
  return chosen.ok ? [chosen.view] : chosen.message;
}

/** The answer to send, or what is wrong with it. */
function replyOf(ask: WaitingAsk, typed: string, words: string | undefined): AskReply | string {
  if (ask.kind === 'question') {
    if (words !== undefined) return '--words goes with reject; your own words are the answer.';
    const answers = questionAnswers(ask.request.questions, typed);
    return typeof answers === 'string' ? answers : { kind: 'question', answers };
  }
  const reply = permissionReply.safeParse(typed);
  if (!reply.success) return 'a permission is answered with once, always or reject.';
  if (words === undefined) return { kind: 'permission', reply: reply.data };
  if (reply.data !== 'reject') return '--words goes with reject: the agent reads them.';
  return { kind: 'permission', reply: reply.data, words };
}

function noneWords(id: string, all: readonly WaitingAsk[], others: WaitingAsks['others']): string {
  if (others.some(({ request }) => id.length > 3 && request.endsWith(id))) {
    return 'Obsidian asks this, with the change that it would write: answer it there.';
  }
  const there = all.map(({ request }) => shortId(request.requestId)).join(', ');
  const what = there === '' ? 'Nothing waits for an answer.' : `There is ${there}.`;
  return `Nothing that waits has the ID "${id}". ${what}`;
}

function told({ given }: RunDesk, { run, request }: WaitingAsk, typed: string): Exit {
  const { requestId } = request;
  if (given.json) return printed(0, JSON.stringify({ ok: true, run, request: requestId }));
  return printed(0, `Answered: ${typed}.`);
}

function asksJson({ asks: all, others }: WaitingAsks): object {
  return {
    asks: all.map(({ run, task, session, kind, request: { requestId, ...request } }) => ({
      ...{ id: shortId(requestId), run, task, session, kind, request: requestId },
      ...request,
    })),
    others,
  };
}
