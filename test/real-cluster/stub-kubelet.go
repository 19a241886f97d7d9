// A stub kubelet for tests: the code with which real nodes serve exec (both stream protocols), in front of a test that decides what
// runs in the container.
//
//	stub-kubelet CERTIFICATE KEY DRIVER
//
// Prints its port. For each exec it connects to DRIVER (host:port), sends one line of JSON, and takes frames back: a byte (1 stdout,
// 2 stderr, 3 exit code), four bytes of length, the bytes. A connection that ends without an exit code is a program that broke off.
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

func (e executor) ExecInContainer(ctx context.Context, name, _, container string, cmd []string, _ io.Reader, out, errOut io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize, _ time.Duration) error {
	conn, err := net.Dial("tcp", e.driver)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	asked := map[string]any{"namespace": e.namespace, "pod": name, "container": container, "command": cmd}
	if err := json.NewEncoder(conn).Encode(asked); err != nil {
		return err
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

func main() {
	handler := http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		parts := strings.Split(strings.Trim(request.URL.Path, "/"), "/")
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
