import type { PermissionRequest } from '../../protocol/requests';

/** A permission request in words: the question, what it is in short, and what exactly is asked. */
export interface PermissionText {
  /** "Allow an edit of Index format?" */
  readonly question: string;
  /** after "Needs you": "Edit a note" */
  readonly short: string;
  /** "Note", "Command", "Address" */
  readonly label: string;
  /** one line each: the command, the paths, the addresses */
  readonly objects: readonly string[];
}

/** What a request asks, in words for a person. Everything in it is plain text, never markup. */
export function permissionText(request: PermissionRequest): PermissionText {
  const objects = objectsOf(request);
  const [first = ''] = objects;
  switch (request.permission) {
    case 'edit':
    case 'write':
    case 'patch':
      return {
        question:
          objects.length > 1
            ? 'Allow an edit of these files?'
            : `Allow an edit of ${noteName(first)}?`,
        short: first.endsWith('.md') ? 'Edit a note' : 'Edit a file',
        label: first.endsWith('.md') ? 'Note' : 'File',
        objects,
      };
    case 'bash':
      return { question: 'Allow this command?', short: 'Run a command', label: 'Command', objects };
    case 'read':
      return {
        question: `Allow reading ${noteName(first)}?`,
        short: 'Read a file',
        label: 'File',
        objects,
      };
    case 'webfetch':
    case 'websearch':
      return {
        question: 'Allow access to the web?',
        short: 'Use the web',
        label: 'Address',
        objects,
      };
    case 'external_directory':
      return {
        question: 'Allow work outside this vault?',
        short: 'Work outside the vault',
        label: 'Folder',
        objects,
      };
    case 'doom_loop':
      return {
        question: 'Let the agent repeat itself?',
        short: 'Repeat the same call',
        label: 'Call',
        objects,
      };
    case 'task':
      return {
        question: 'Allow a sub-agent?',
        short: 'Start a sub-agent',
        label: 'Agent',
        objects,
      };
    default:
      return {
        question: `Allow ${request.permission}?`,
        short: `Use ${request.permission}`,
        label: 'Asked for',
        objects,
      };
  }
}

/** The whole command or path where the request carries it, else the patterns it was asked by. */
function objectsOf(request: PermissionRequest): readonly string[] {
  const whole = ['command', 'filepath', 'filePath', 'url']
    .map((field) => request.metadata[field])
    .find((value) => typeof value === 'string' && value !== '');
  if (typeof whole === 'string' && request.patterns.length < 2) return [whole];
  return request.patterns;
}

function noteName(path: string): string {
  if (path === '') return 'a file';
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
}
