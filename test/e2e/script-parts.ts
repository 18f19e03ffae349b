import type { Script, Turn } from '../../workbench/demo/script';

export const call = (args: unknown) => ({ name: 'tasks', args });
export const operations = (...list: readonly unknown[]): Turn => ({
  tools: [call({ operations: list })],
});
export const add = (title: string, more: object = {}) => ({ type: 'add', title, ...more });

export type Session = Script['sessions'][number];

export function session(
  title: string,
  ...prompts: readonly Partial<Session['prompts'][number]>[]
): Session {
  return {
    title,
    prompts: prompts.map((prompt) => ({
      text: 'Go on',
      turns: [],
      person: [],
      answers: [],
      ...prompt,
    })),
  };
}
