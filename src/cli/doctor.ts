import type { Finding } from '../core/board/doctor/finding';
import { findings } from '../core/board/doctor/findings';
import { lookBeside } from '../core/board/doctor/look-beside';
import type { Command, OpenVault } from './command';
import { printed } from './exit';
import { fixFinding } from './fix-finding';
import { leftBehind } from './left-behind';

/** `agent-boards doctor`: what a person should know about the boards; `--fix` does only what is safe. */
export const doctor: Command = {
  name: 'doctor',
  takes: '',
  says: 'what needs repair: notes, ids, copies of sync tools, what dead processes left',
  options: {
    fix: {
      type: 'boolean',
      says: 'does what loses nothing: new numbers for duplicates, leftovers',
    },
  },
  words: { least: 0, most: 0 },
  async run(given, vault) {
    const fixed: Finding[] = [];
    const failed: string[] = [];
    for (const finding of given.flag('fix') ? await look(vault) : []) {
      if (finding.fix === undefined) continue;
      const why = await fixFinding(vault, finding);
      if (why === undefined) fixed.push(finding);
      else failed.push(`${finding.path}: not fixed, ${why}`);
    }
    const left = await look(vault);
    const code = left.length === 0 ? 0 : 3;
    const err = failed.map((line) => `agent-boards: ${line}\n`).join('');
    if (given.json)
      return printed(code, JSON.stringify({ ok: code === 0, findings: left, fixed }), err);
    const lines = [
      ...fixed.map(({ fix: _, ...one }) => `fixed  ${lineOf(one)}`),
      ...left.map(lineOf),
    ];
    return printed(code, lines.length === 0 ? 'All is well.' : lines.join('\n'), err);
  },
};

async function look({ folder, store, root, manager }: OpenVault): Promise<readonly Finding[]> {
  await manager.scan();
  const files = [...(await lookBeside(store, root)), ...(await leftBehind(folder, root))];
  return findings(manager.boards(), files);
}

function lineOf({ path, line, text, fix }: Finding): string {
  const where = line === 0 ? path : `${path}:${line}`;
  return `${where}: ${text}${fix === undefined ? '' : ' [--fix]'}`;
}
