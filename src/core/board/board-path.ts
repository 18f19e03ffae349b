import { byteLength, utf8Bytes } from './answer/text-budget';

/** Existing files and folders; names as given by the file system. */
interface ExistingNames {
  /** names of the folders under the root */
  readonly sessions?: readonly string[];
  /** names of the files in the session's folder */
  readonly boards?: readonly string[];
}

const SUFFIX = '-tasks.md';
/**
 * Maximum length of a session id or agent name in bytes. With every byte written as `~hh` that
 * makes 216, which leaves 39 of the 255 that file systems allow for `-tasks.archive.md` and the
 * name of a temporary file.
 */
const LONGEST = 72;
const PLAIN = /^[A-Za-z0-9_-]$/;
/** Most ids and names match this; they stay unchanged. */
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,72}$/;
/** Device names reserved by Windows. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])$/i;

/** Whether Windows treats a name (without an extension) as a device. */
export function isDeviceName(name: string): boolean {
  return DEVICE.test(name);
}

/**
 * Path of a board: `<root>/<session>/<agent>-tasks.md`, relative to the vault. Two sessions never
 * share a folder, two agents never a file.
 * @throws RangeError if the session id or agent name is not valid
 */
export function boardPath(
  root: string,
  session: string,
  agent: string,
  taken: ExistingNames = {},
): string {
  const folder = encodeName(session, taken.sessions ?? []);
  const names = (taken.boards ?? []).filter((name) => name.endsWith(SUFFIX));
  const file = encodeName(
    agent,
    names.map((name) => name.slice(0, -SUFFIX.length)),
  );
  return `${root}/${folder}/${file}${SUFFIX}`;
}

/**
 * Session and agent of a board, decoded from its path; undefined for any other file (archives,
 * copies of sync tools).
 */
export function readBoardPath(
  root: string,
  path: string,
): { session: string; agent: string } | undefined {
  const parts = path.startsWith(`${root}/`) ? path.slice(root.length + 1).split('/') : [];
  const [folder, file] = parts;
  if (parts.length !== 2 || folder === undefined || !file?.endsWith(SUFFIX)) return undefined;
  const session = decodeName(folder);
  const agent = decodeName(file.slice(0, -SUFFIX.length));
  return session === undefined || agent === undefined ? undefined : { session, agent };
}

/**
 * Whether a file name is that of a conflict copy made by a sync tool: Obsidian Sync, Dropbox and
 * Nextcloud ("conflicted copy"), Syncthing (`.sync-conflict-`), ownCloud (`_conflict-`). No such
 * file is a board.
 */
export function isConflictCopy(name: string): boolean {
  return /conflicted copy|\.sync-conflict-|_conflict-\d/i.test(name) && /\.md$/i.test(name);
}

/** Whether a session id can name a folder: 1 to 72 bytes of well-formed UTF-8, no control characters. */
export function isValidSessionId(id: string): boolean {
  if (PLAIN_NAME.test(id)) return true;
  if (id === '' || /[\p{Cc}\p{Surrogate}]/u.test(id)) return false;
  return byteLength(id) <= LONGEST;
}

/** Whether a name can be an agent's; same rules as for session ids. */
export function isValidAgentName(name: string): boolean {
  return isValidSessionId(name);
}

/**
 * Encodes a session id or agent name as a file name: `A-Za-z0-9_-` stay, each other byte of its
 * UTF-8 becomes `~` and two hex digits. Case-insensitive disks treat `Ab` and `ab` as the same
 * name; so if a name in `taken` differs only by case, upper-case letters are encoded too, and if
 * that is not enough (`ab` when there is `AB`), all letters. A name that already exists in one of
 * these forms keeps it. Every form decodes to the same text, so no two texts share a name.
 */
export function encodeName(text: string, taken: readonly string[]): string {
  if (taken.length === 0 && PLAIN_NAME.test(text) && !DEVICE.test(text)) return text;
  if (!isValidSessionId(text)) throw new RangeError('This text cannot name a file.');
  const forms = [
    encode(text, (char) => PLAIN.test(char)),
    encode(text, (char) => /^[a-z0-9_-]$/.test(char)),
    encode(text, (char) => /^[0-9_-]$/.test(char)),
  ];
  const existing = forms.find((form) => taken.includes(form));
  if (existing !== undefined) return existing;
  const lower = new Set(taken.map((name) => name.toLowerCase()));
  const free = forms.find((form) => !lower.has(form.toLowerCase()) && !DEVICE.test(form));
  return free ?? encode(text, () => false);
}

/**
 * Decodes a name made by `encodeName`; undefined for any other name, also for one that decodes to
 * a text too long or otherwise invalid as a session id.
 */
export function decodeName(name: string): string | undefined {
  if (!/^(?:[A-Za-z0-9_-]|~[0-9a-f]{2})+$/.test(name)) return undefined;
  try {
    const text = decodeURIComponent(name.replaceAll('~', '%'));
    return isValidSessionId(text) ? text : undefined;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function encode(text: string, stays: (char: string) => boolean): string {
  return utf8Bytes(text)
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return byte < 0x80 && stays(char) ? char : `~${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
}
