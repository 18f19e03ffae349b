import * as z from 'zod/mini';

/** An agent that the person named on this device, as it is kept there. */
export const storedAgent = () =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('acp'),
      id: z.string().check(z.maxLength(40)),
      name: z.string().check(z.minLength(1), z.maxLength(60)),
      /** of a program that speaks the Agent Client Protocol; absolute */
      command: z.string().check(z.maxLength(4_000)),
      args: z.array(z.string().check(z.maxLength(4_000))).check(z.maxLength(50)),
    }),
    z.object({
      kind: z.literal('opencode'),
      id: z.string().check(z.maxLength(40)),
      name: z.string().check(z.minLength(1), z.maxLength(60)),
      /** of the server of an OpenCode; its password is kept apart */
      url: z.string().check(z.maxLength(2_000)),
    }),
  ]);

export type AgentEntry = z.infer<ReturnType<typeof storedAgent>>;

/** The arguments of a line: parted by blanks, together between double quotes. */
export function parseArgs(line: string): readonly string[] {
  return [...line.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map(([arg]) => arg.replaceAll('"', ''));
}

/** As `parseArgs` reads them. */
export function commandText(args: readonly string[]): string {
  return args.map((arg) => (/\s/.test(arg) || arg === '' ? `"${arg}"` : arg)).join(' ');
}
