// @ts-check
// Answers may arrive out of order. The latest question wins, and a question about something else cancels those before
// it.

export class AnswerOrder {
    #asked = 0;
    /** Answers to questions up to this number are stale. */
    #old = 0;

    /** Whether an answer that would count is still outstanding. */
    get isWaiting() { return this.#asked > this.#old; }

    /** Asks again about the same. Call the result once, when the answer or failure has arrived: false if a later one
     * was first. */
    ask() {
        const number = this.#asked += 1;
        return () => {
            if (number <= this.#old) return false;
            this.#old = number;
            return true;
        };
    }

    /** Asks about something else: earlier answers no longer count. */
    askAnew() {
        this.#old = this.#asked;
        return this.ask();
    }
}
