/** What a page is told of a call that failed, as Node tells it. */
export interface CallFault {
  readonly code: string;
  readonly message: string;
}

export function faultOf(error: unknown): CallFault {
  const { code = 'EIO', message = String(error) } = error as Partial<NodeJS.ErrnoException>;
  return { code, message };
}
