// A stub kubelet for tests: the code with which real nodes serve exec (both stream protocols) and logs, in front of a test that
// decides what runs in the container.
//
//	stub-kubelet CERTIFICATE KEY DRIVER
//
// Prints its port. For each call it connects to DRIVER (host:port), sends one line of JSON, and takes frames back: a byte (1 stdout,
// 2 stderr, 3 exit code), four bytes of length, the bytes. A connection that ends without an exit code is a program that broke off.
// Where the line says "stdin", frames with byte 0 follow it; an empty one is the end of the input.
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

type executor struct {
	namespace string
	driver    string
}

func (e executor) ExecInContainer(ctx context.Context, name, _, container string, cmd []string, in io.Reader, out, errOut io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize, _ time.Duration) error {
	asked := map[string]any{"namespace": e.namespace, "pod": name, "container": container, "command": cmd, "stdin": in != nil}
	return play(ctx, e.driver, asked, in, out, errOut)
}

// Asks the driver and passes on what it answers until it tells the exit code.
func play(ctx context.Context, driver string, asked map[string]any, in io.Reader, out, errOut io.Writer) error {
	conn, err := net.Dial("tcp", driver)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if err := json.NewEncoder(conn).Encode(asked); err != nil {
		return err
	}
	if in != nil {
		go feed(conn, in)
	}
	head := make([]byte, 5)
	for {
		if _, err := io.ReadFull(conn, head); err != nil {
			return errors.New("the program broke off")
		}
		body := make([]byte, binary.BigEndian.Uint32(head[1:]))
		if _, err := io.ReadFull(conn, body); err != nil {
			return err
		}
		switch head[0] {
		case 1:
			_, err = out.Write(body)
		case 2:
			_, err = errOut.Write(body)
		case 3:
			code, _ := strconv.Atoi(string(body))
			if code == 0 {
				return nil
			}
			return utilexec.CodeExitError{Err: fmt.Errorf("exit status %d", code), Code: code}
		}
		if err != nil {
			return err
		}
	}
}

func feed(conn net.Conn, in io.Reader) {
	piece := make([]byte, 5+32*1024)
	for {
		count, err := in.Read(piece[5:])
		if count > 0 {
			binary.BigEndian.PutUint32(piece[1:], uint32(count))
			if _, err := conn.Write(piece[:5+count]); err != nil {
				return
			}
		}
		if err != nil {
			conn.Write(make([]byte, 5))
			return
		}
	}
}

// Sends each piece of a log as soon as it is there.
type flushed struct{ http.ResponseWriter }

func (f flushed) Write(piece []byte) (int, error) {
	count, err := f.ResponseWriter.Write(piece)
	http.NewResponseController(f.ResponseWriter).Flush()
	return count, err
}

func main() {
	handler := http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		parts := strings.Split(strings.Trim(request.URL.Path, "/"), "/")
		if len(parts) == 4 && parts[0] == "containerLogs" {
			query := request.URL.Query()
			asked := map[string]any{"namespace": parts[1], "pod": parts[2], "container": parts[3], "logs": map[string]any{
				"follow": query.Get("follow") == "true", "previous": query.Get("previous") == "true", "tail": query.Get("tailLines"),
			}}
			if err := play(request.Context(), os.Args[3], asked, nil, flushed{w}, io.Discard); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
			return
		}
		if len(parts) != 4 || parts[0] != "exec" {
			http.NotFound(w, request)
			return
		}
		options, err := remotecommand.NewOptions(request)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		run := executor{namespace: parts[1], driver: os.Args[3]}
		remotecommand.ServeExec(w, request, run, parts[2], "", parts[3], request.URL.Query()["command"], options,
			time.Hour, 30*time.Second, remotecommand.SupportedStreamingProtocols)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	panic(http.ServeTLS(listener, handler, os.Args[1], os.Args[2]))
}
