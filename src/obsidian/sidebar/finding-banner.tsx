import type { Finding, FindingKind } from '../../core/board/doctor/finding';
import type { Board } from '../../core/board/task';
import type { Repair } from '../model/repairs';
import { Banner, type BannerButton } from '../part/banner';
import type { Intents } from './intents';

/** Says what is wrong with a board that can be read, and what can be done. */
export function FindingBanner(props: {
  readonly board: Board;
  readonly repair: Repair;
  readonly intents: Pick<Intents, 'repair' | 'openFinding' | 'showRepairs' | 'compare'>;
}) {
  const { board, repair, intents } = props;
  const { icon, title, text, buttons } = content(board, repair, intents);
  return (
    <div role="none">
      <Banner {...{ icon, title, text, buttons }} label={title} />
    </div>
  );
}

interface Content {
  readonly icon: string;
  readonly title: string;
  readonly text: string;
  readonly buttons: readonly BannerButton[];
}

function content(
  board: Board,
  repair: Repair,
  intents: Parameters<typeof FindingBanner>[0]['intents'],
): Content {
  switch (repair.kind) {
    case 'copies': {
      const many = repair.paths.length;
      const title = many === 1 ? '1 sync copy of this board' : `${many} sync copies of this board`;
      const text = `${many === 1 ? 'It is' : 'They are'} not loaded, so nothing is mixed up.`;
      const onClick = () => intents.compare(board, repair.paths);
      return { icon: 'files', title, text, buttons: [{ label: 'Compare…', onClick }] };
    }
    case 'several': {
      const title = `${repair.count} places of this note need a look`;
      const text = 'Everything else can be edited as always.';
      const onClick = () => intents.showRepairs();
      return { icon: 'wrench', title, text, buttons: [{ label: 'Show…', onClick }] };
    }
    case 'finding': {
      const { finding } = repair;
      const { title, text } = findingWords(finding);
      return { icon: 'wrench', title, text, buttons: findingButtons(board, finding, intents) };
    }
  }
}

/** What can be done about a finding, the safe repair first. */
export function findingButtons(
  board: Board,
  finding: Finding,
  intents: Pick<Intents, 'repair' | 'openFinding'>,
): readonly BannerButton[] {
  const fixes = finding.fix?.type === 'renumber';
  const repair = { label: 'Renumber', onClick: () => intents.repair(board, finding) };
  const label = finding.line > 0 ? `Open at line ${finding.line}` : 'Open';
  const open = { label, quiet: fixes, onClick: () => intents.openFinding(board, finding) };
  return fixes ? [repair, open] : [open];
}

const TITLES: Readonly<Partial<Record<FindingKind, string>>> = {
  'broken-note': 'This note is read-only until it is repaired',
  'unclear-line': 'A line says two things',
  'unknown-id': 'A prerequisite is unknown',
  cycle: 'Tasks wait for each other',
  'archived-twice': 'A task stands twice',
  'shared-prefix': 'Two boards share their ids',
  'sync-copy': 'A sync copy',
};

/** In one line what it is, then what to do. */
export function findingWords({ kind, text }: Finding): { title: string; text: string } {
  const end = text.indexOf('. ');
  const known = TITLES[kind];
  if (known !== undefined) return { title: known, text: text.replace(`${known}. `, '') };
  return end < 0
    ? { title: text, text: '' }
    : { title: text.slice(0, end), text: text.slice(end + 2) };
}
