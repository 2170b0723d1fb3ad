// Command goroutines holds the talks of the comparison as simply as Go can: it keeps
// nothing, so a kill loses all.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
)

const agents, plans = 3, 30

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type request struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
}

type response struct {
	Choices []struct {
		Message message `json:"message"`
	} `json:"choices"`
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: goroutines URL TALKS")
	}
	talks, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: agents * talks}}
	var all sync.WaitGroup
	for n := range talks {
		all.Go(func() { hold(client, os.Args[1], n) })
	}
	all.Wait()
}

// hold holds one talk: in each plan all agents speak at once and see what was said before.
func hold(client *http.Client, url string, talk int) {
	var said []string
	for plan := range plans {
		answers := make([]string, agents)
		var all sync.WaitGroup
		for agent := range agents {
			all.Go(func() {
				var err error
				if answers[agent], err = ask(client, url, talk, plan, agent, said); err != nil {
					log.Fatal(err)
				}
			})
		}
		all.Wait()
		said = append(said, answers...)
	}
}

func ask(client *http.Client, url string, talk, plan, agent int, said []string) (string, error) {
	body, err := json.Marshal(request{Model: "fast", Messages: []message{
		{"system", fmt.Sprintf("You are agent %d of talk %d. Plan %d.", agent, talk, plan)},
		{"user", "What was said:\n" + strings.Join(said, "\n")},
	}})
	if err != nil {
		return "", err
	}
	r, err := client.Post(url+"/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	var got response
	if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
		return "", err
	}
	if len(got.Choices) == 0 {
		return "", fmt.Errorf("the service answers %s without a choice", r.Status)
	}
	return got.Choices[0].Message.Content, nil
}
