import { useEffect, useState } from 'preact/hooks';

/** ms in which a question takes no answer, so that a key already on its way answers nothing. */
export const ARM_AFTER = 500;

/** False for a moment after `subject` changed, true from then on. */
export function useArmed(subject: string): boolean {
  const [armed, setArmed] = useState<string | undefined>(undefined);
  // Counted from the frame: before it nobody has seen what would be answered, however long it draws.
  useEffect(() => {
    const timer = window.setTimeout(() => setArmed(subject), ARM_AFTER);
    return () => {
      window.clearTimeout(timer);
      setArmed(undefined);
    };
  }, [subject]);
  return armed === subject;
}
