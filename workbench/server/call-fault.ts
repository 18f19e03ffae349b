/** The error of a failed call as sent to a page, in Node's form. */
export interface CallFault {
  readonly code: string;
  readonly message: string;
}

export function faultOf(error: unknown): CallFault {
  const { code = 'EIO', message = String(error) } = error as Partial<NodeJS.ErrnoException>;
  return { code, message };
}
