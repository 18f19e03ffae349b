import * as z from 'zod/mini';

/** An agent that the person set up on this device, as stored. */
export const storedAgent = () =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('acp'),
      id: z.string().check(z.maxLength(40)),
      name: z.string().check(z.minLength(1), z.maxLength(60)),
      /** path of a program that speaks the Agent Client Protocol; absolute */
      command: z.string().check(z.maxLength(4_000)),
      args: z.array(z.string().check(z.maxLength(4_000))).check(z.maxLength(50)),
    }),
    z.object({
      kind: z.literal('opencode'),
      id: z.string().check(z.maxLength(40)),
      name: z.string().check(z.minLength(1), z.maxLength(60)),
      /** address of an OpenCode server; its password is stored separately */
      url: z.string().check(z.maxLength(2_000)),
      /** the vault's folder, as that machine calls it, if it differs */
      directory: z.optional(z.string().check(z.maxLength(4_000))),
    }),
  ]);

export type AgentEntry = z.infer<ReturnType<typeof storedAgent>>;

/** What is started or called for an agent, as a line for the person. */
export function agentTarget(entry: AgentEntry): string {
  return entry.kind === 'acp'
    ? commandText([entry.command, ...entry.args])
    : [entry.url, ...(entry.directory === undefined ? [] : [entry.directory])].join(' ');
}

/** Splits a line into arguments at blanks; double quotes keep blanks together. */
export function parseArgs(line: string): readonly string[] {
  return [...line.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map(([arg]) => arg.replaceAll('"', ''));
}

/** The inverse of `parseArgs`. */
export function commandText(args: readonly string[]): string {
  return args.map((arg) => (/\s/.test(arg) || arg === '' ? `"${arg}"` : arg)).join(' ');
}
