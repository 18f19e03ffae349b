/** Short instructions about this server, which clients pass to the model. */
export const SERVER_INSTRUCTIONS = `Your task board is a note in the person's Obsidian vault: they see it live and may edit it. \
Work with more than two steps: plan it with the tool tasks first (init, add), start a task before you work on it, complete it once it is done and checked; never tick what is not done. \
Answers say what the person changed: follow it. \
After a restart, or where an answer names an unfinished board, go on with it (resume) instead of planning anew. \
If one client holds several conversations over this connection, they share one board.`;

/** A prompt that a person can choose in the client. */
interface OfferedPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
  }[];
}

export const PROMPTS: readonly OfferedPrompt[] = [
  {
    name: 'plan',
    title: 'Plan on the board',
    description: 'Has the agent write a plan for a goal on its task board before it begins.',
    arguments: [{ name: 'goal', description: 'What shall be reached.', required: true }],
  },
  {
    name: 'continue',
    title: 'Go on with the board',
    description: 'Has the agent take up its board where it stands.',
    arguments: [],
  },
  {
    name: 'handoff',
    title: 'Hand the board over',
    description:
      'What a new agent needs of this board: its state, decisions, results, and the notes that were used.',
    arguments: [],
  },
];

/** Why a prompt can't be returned; undefined if it can. */
export function promptFault(
  name: string,
  args: Readonly<Record<string, string>>,
): string | undefined {
  const offered = PROMPTS.find((one) => one.name === name);
  if (offered === undefined) {
    return `There is no prompt "${name}", only ${PROMPTS.map((one) => one.name).join(', ')}.`;
  }
  const lacking = offered.arguments.find((one) => one.required && !args[one.name]?.trim());
  if (lacking === undefined) return undefined;
  return `The prompt "${name}" lacks the argument "${lacking.name}": ${lacking.description}`;
}

const WORK_RULES =
  'Start a task before you work on it, complete it as soon as it is done and checked, and never tick what is not done. The person sees the board and may change it: follow what they changed.';

export function planPrompt(goal: string): string {
  return `Plan this on your task board with the tool tasks before you begin: a title (init), then tasks that each have one result, with subtasks and dependsOn where one waits for another.\n\nGoal: ${goal}\n\nThen work through it. ${WORK_RULES}`;
}

/** @param handoff summary of the board; undefined if there is none */
export function continueBoardPrompt(handoff: string | undefined): string {
  if (handoff === undefined) {
    return 'Call the tool tasks with {"operations": [{"type": "list"}]}. Where its answer names an unfinished board, take it up with resume; else ask me what to plan.';
  }
  return `Go on with the task board. ${WORK_RULES}\n\n${handoff}`;
}

/** Text of the prompt `handoff` if there is no board. */
export const NO_BOARD = 'There is no task board yet: nothing can be handed over.';
