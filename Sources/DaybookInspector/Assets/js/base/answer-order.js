// @ts-check
// Answers may come in another order than their questions were asked in. Of those to one question the last asked wins, and
// what was asked of something else before counts no more.

export class AnswerOrder {
    /** The number of the latest question. */
    #asked = 0;
    /** Answers to questions up to this number are old. */
    #old = 0;

    /** Whether an answer that would count has not come yet. */
    get isWaiting() { return this.#asked > this.#old; }

    /** Asks once more of the same. What it returns is called once, when the answer or the failure has come: false where
     * a later answer was there before. */
    ask() {
        const number = this.#asked += 1;
        return () => {
            if (number <= this.#old) return false;
            this.#old = number;
            return true;
        };
    }

    /** Asks of something else: answers to what was asked before no longer count. */
    askAnew() {
        this.#old = this.#asked;
        return this.ask();
    }
}
