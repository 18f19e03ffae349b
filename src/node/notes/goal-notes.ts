import { notesForGoal } from '../../core/context/related-notes';
import type { FindNotes } from '../../core/orchestrator/drive/orchestrator-deps';
import { PathResolver } from '../../core/permission/path-resolver';
import { fixedAccessRules } from '../../core/permission/access-rules';
import type { Clock } from '../../core/ports';
import { followBoardFolders, policyOf, readSharedSettings } from '../../core/shared-settings';
import { readableNote } from '../../core/tool/readable-note';
import { realPaths } from '../real-paths';
import { DiskNotes, type DiskNotesDeps } from './disk-notes';

type GoalNotesDeps = Omit<DiskNotesDeps, 'resolver' | 'hidden'> & { readonly clock: Clock };

/** Finds notes for the plans of runs in a vault's folder, under the current rules and settings. */
export function diskNotesFor(deps: GoalNotesDeps): FindNotes {
  const { vault, store, clock } = deps;
  const resolver = new PathResolver(realPaths(vault));
  return async (goal, reader) => {
    const settings = await readSharedSettings(store);
    if (!settings.runNotes) return undefined;
    const policy = policyOf(settings, await followBoardFolders(store, settings));
    const hidden: DiskNotesDeps['hidden'] = (target) => policy.places.kindOf(target) !== undefined;
    const notes = new DiskNotes({ ...deps, resolver, hidden });
    const permitting = fixedAccessRules(() => policy);
    const source = {
      search: (query: string) => notes.search(query),
      leadsTo: (link: string, from: string) => notes.leadsTo(link, from),
      readable: (path: string) =>
        readableNote({ notes: { store, resolver }, permitting, clock }, reader, path),
    };
    return notesForGoal(goal, source, settings.runPrompts);
  };
}
