const messages: string[] = [];

export const pageErrors = (): string[] => [...messages];

/** Collects the errors that the console would show: uncaught errors, rejections, refused loads. */
export function collectPageErrors(): void {
  window.addEventListener('error', (event: ErrorEvent) => {
    messages.push(describe(event.error ?? event.message));
  });
  window.addEventListener('unhandledrejection', (event) => {
    messages.push(describe(event.reason));
  });
  document.addEventListener('securitypolicyviolation', (event) => {
    messages.push(`The page policy refused ${event.violatedDirective}: ${event.blockedURI}`);
  });
}

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
