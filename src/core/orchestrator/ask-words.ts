import type { PermissionRequest, QuestionRequest } from '../../protocol/requests';

/** What a permission is asked for, as in `bash: rm -rf build`. */
export function permissionWords({
  permission,
  patterns,
}: Pick<PermissionRequest, 'permission' | 'patterns'>): string {
  return toolWords(permission, patterns);
}

/** A tool and what it is about: commands, paths. */
export function toolWords(tool: string, about: readonly string[]): string {
  return about.length === 0 ? tool : `${tool}: ${about.join(', ')}`;
}

export function questionWords({ questions }: Pick<QuestionRequest, 'questions'>): string {
  return questions.map(({ question }) => question).join(' ');
}
