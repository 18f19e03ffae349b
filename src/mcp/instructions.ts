/** What a client tells its model of this server, in few words. */
export const INSTRUCTIONS = `Your task board is a note in the person's Obsidian vault: they see it live and may edit it. \
Work with more than two steps: plan it with the tool tasks first (init, add), start a task before you work on it, complete it once it is done and checked; never tick what is not done. \
Answers say what the person changed: follow it. \
After a restart, or where an answer names an unfinished board, go on with it (resume) instead of planning anew. \
If one client holds several conversations over this connection, they share one board.`;
