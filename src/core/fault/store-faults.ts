import { StoreError, type StoreErrorCode } from '../ports';
import { sentence, type SentenceValues } from './sentence';

/** Why the store refuses something in Obsidian, or a change of a file that programs share. */
export const STORE_FAULTS = {
  diskFull: '{path} was not saved: the disk is full.',
  notAllowed: 'The system does not allow access to {path}.',
  failed: '{path} could not be read or written: {why}',
  linkOut: '{path}: a link leads out of the vault, or nowhere.',
  noUtf8Form: 'The text for {path} has no UTF-8 form.',
  notUtf8: '{path} is not valid UTF-8 text, so it is left as it is.',
  tooLarge: '{path} is larger than 16 MB, so it is not read.',
  keepsChanging: '{path} keeps changing, so it was not saved. Try again.',
  keepsRenaming: '{path} keeps being renamed. Try again.',
  notKept: '{path} was not saved: the disk does not keep what is written to it.',
  isFolder:
    '{path} is a folder, where a file has to be. Move it away or remove it, then try again.',
  isFile:
    '{path} is a file, where a folder has to be. Move it away or use another path, then try again.',
  noProgram: "{path} can't be read. Install the plugin again, then try again.",
  newerBridge:
    'The vault has version {standing}, which is newer than {own}, the one of this program. Update the program, or remove {path} and install again.',
  historyNotUtf8:
    '{path}: this history of a board is damaged (it is no valid UTF-8 text), so its changes cannot be listed or undone. The board itself is whole. Move the file out of the vault: the next change begins a new history.',
  historyTooLarge:
    '{path}: this history of a board is damaged (it is larger than any history), so its changes cannot be listed or undone. The board itself is whole. Move the file out of the vault: the next change begins a new history.',
  copyDiffers: '{path} was written, but reads back as something else.',
  targetChanged:
    '{path} was changed while the boards were copied. Keep what you need of it, remove it, then move again.',
  rulesFull: 'There are {most} rules already. Remove one in the settings, then try again.',
  rulesChanged: 'The rules were changed outside. Look at that first, then change them.',
  settingsBroken: '{why} Repair the file first.',
  notSavable: "This can't be saved: {why}.",
  notObject: '{path} is not a JSON object. Repair it or remove it.',
  moveNotCompleted: 'The move was not completed: {why} No board is lost. Move again to finish.',
  nothingMoved: 'Nothing was moved: {why}',
  nothingMovedButKept: 'Nothing was moved: {why} {kept} was changed there, so it stays.',
  moveCancelled: 'It was cancelled.',
  notCleared: {
    one: '{count} file is still in {from}, because it keeps changing. Move again to clear it.',
    other: '{count} files are still in {from}, because they keep changing. Move again to clear it.',
  },
  notInTrash: 'The old notes in {from} are not all in the trash: {why} Move again to clear them.',
  pathEmpty: 'The path is empty.',
  pathNul: 'The path contains a NUL character.',
  pathBackslash: 'The path contains a backslash; use "/".',
  pathAbsolute: 'The path is absolute; it must be relative to the vault.',
  pathDots: 'The path contains "." or "..".',
  pathSegment: 'The path contains an empty segment.',
  rootTaken: "Boards can't live in {folder}.",
  rootHidden:
    "Boards can't live in {folder}: the only hidden place for them is a folder in .opencode.",
  sameRoot: 'The boards are in {from} already.',
  nestedRoot: 'One of {to} and {from} is inside the other. Choose a folder outside {from}.',
  targetIsFile: '{to} is a file. Choose a folder, or a name that is free.',
  targetNotEmpty: '{to} has other files: {files}. Choose a folder that is empty or not there yet.',
  targetFull:
    '{to} has other files: {files} and {more} more. Choose a folder that is empty or not there yet.',
  notAllRenamed: 'Not all files were renamed: {why} No board is lost. Do it again to finish.',
} as const;

export function storeSentence(
  name: keyof typeof STORE_FAULTS,
  values?: SentenceValues,
): ReturnType<typeof sentence> {
  return sentence(['storeFault', STORE_FAULTS], name, values);
}

export function storeRefusal(
  code: StoreErrorCode,
  name: keyof typeof STORE_FAULTS,
  values?: SentenceValues,
  cause?: unknown,
): StoreError {
  return new StoreError(code, storeSentence(name, values), { cause });
}
